"""How the time of learning is shared out, and how much of it is used; it goes on where an interrupted run was."""

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skolem.support.errors import InputError, Place
from skolem.support.files import write_text

RECORD = "learn.json"
WRITTEN = (
    "README.md",
    "config.json",
    "model.safetensors",
    "training.safetensors",
    "log.jsonl",
    "dataset",
    "first",
    "second",
)
"""What learning writes beside it, some of it under names that other things have too."""
SHORT = 240.0
"""Below so many seconds there is no first model from little data: the main one comes soon enough."""


@dataclass(frozen=True)
class Shares:
    """When each stage ends, in seconds from the start."""

    first_labels: float
    first_model: float
    second_labels: float
    second_model: float
    labels: float
    training: float
    end: float

    @staticmethod
    def of(minutes: float, rounds: bool = False) -> "Shares":
        """The shares of some minutes; with `rounds` there is a second model, and a first one however short it is."""
        total = 60 * minutes
        has_first = rounds or total >= SHORT
        first_labels = min(12.0, 0.05 * total) if has_first else 0.0
        first_model = min(50.0, 0.2 * total) if has_first else 0.0
        second_labels = first_model + (0.08 * total if rounds else 0.0)
        second_model = second_labels + (0.15 * total if rounds else 0.0)
        labels, training = second_model + 0.13 * total, total - min(45.0, 0.08 * total)
        return Shares(first_labels, first_model, second_labels, second_model, labels, training, total)


@dataclass
class Schedule:
    """The time used so far, all attempts together, and what was done in it; kept in the model's folder."""

    folder: Path
    settings: dict[str, Any]
    """What must be the same when learning is continued."""
    minutes: float | None
    """None where a number of steps ends learning instead."""
    spent: float = 0.0
    """Seconds that earlier attempts used."""
    stage: str = "first"
    """What is to be done next: the first model, the second, the main one, the measurement, or nothing."""
    _began: float = field(default_factory=time.monotonic)

    @property
    def shares(self) -> Shares | None:
        """When each stage ends; None where steps count and not the time."""
        return None if self.minutes is None else Shares.of(self.minutes, self.settings.get("rounds", False))

    @property
    def used(self) -> float:
        """Seconds since the start, those between attempts left out."""
        return self.spent + time.monotonic() - self._began

    @property
    def left(self) -> float | None:
        """Seconds until the end."""
        return None if self.minutes is None else 60 * self.minutes - self.used

    @property
    def done(self) -> float:
        """The share of the time that is used."""
        return 0.0 if self.minutes is None else self.used / (60 * self.minutes)

    def save(self, stage: str | None = None) -> None:
        """Keeps where learning stands."""
        self.stage = stage or self.stage
        content = {"settings": self.settings, "stage": self.stage, "seconds": self.used}
        write_text(self.folder / RECORD, json.dumps(content, indent=1) + "\n")


def open_schedule(folder: Path, settings: dict[str, Any], minutes: float | None, resume: bool) -> Schedule:
    """A new schedule, or that of an interrupted run; an InputError where the folder holds none, or another one."""
    path = folder / RECORD
    place = Place(str(path))
    if not resume:
        if path.exists():
            raise InputError("this folder already holds a learning run: --resume it or choose another", place)
        for name in WRITTEN:
            if (folder / name).exists():
                message = "this is not of a learning run and would be overwritten: choose another folder"
                raise InputError(message, Place(str(folder / name)))
        return Schedule(folder, settings, minutes)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        spent, stage, given = float(content["seconds"]), str(content["stage"]), content["settings"]
    except OSError as error:
        raise InputError("there is no learning run to resume here", place) from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"not a readable record of learning ({error})", place) from error
    if given != settings:
        changed = sorted(name for name in settings if given.get(name) != settings[name])
        raise InputError(f"the run was started with other settings ({', '.join(changed)})", place)
    return Schedule(folder, settings, minutes, spent, stage)
