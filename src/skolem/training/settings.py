"""The settings of a training run by their names: for the command line, recipe files and model cards."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from skolem.network.config import NetworkConfig
from skolem.support.errors import InputError, Place
from skolem.training.recipe import PRESETS, Recipe


@dataclass(frozen=True)
class Setting:
    """A field of the network's or the recipe's dataclass."""

    name: str
    kind: type
    """What its values are: bool, int, float or str."""
    choices: tuple[str, ...]
    """Its values if there are only some."""
    optional: bool
    """Whether it may be none."""
    presets: Mapping[str, Any]
    """Its value in every preset."""

    def parse(self, text: str) -> Any:
        """The value that a word stands for; a ValueError if it stands for none."""
        if self.optional and text.lower() == "none":
            return None
        if self.kind is bool or (self.choices and text not in self.choices):
            raise ValueError(f"{text} is no value of {self.name}")
        return self.kind(text)

    def check(self, value: Any) -> Any:
        """The value that stands in a file, if it is one of the setting's; a ValueError if not."""
        return value if self.kind is bool and isinstance(value, bool) else self.parse(str(value))

    def spell(self, value: Any) -> list[str]:
        """The words that give the setting this value on the command line."""
        if self.kind is bool:
            return [f"--{'' if value else 'no-'}{self.name}"]
        return [f"--{self.name}", "none" if value is None else str(value)]


def _list_settings() -> dict[str, Setting]:
    found = {}
    for place, owner in enumerate((NetworkConfig, Recipe)):
        hints = get_type_hints(owner)
        for field in fields(owner):
            kinds = set(get_args(hints[field.name])) or {hints[field.name]}
            literal = get_origin(hints[field.name]) is Literal
            found[field.name] = Setting(
                field.name,
                str if literal else next(iter(kinds - {NoneType})),
                get_args(hints[field.name]) if literal else (),
                NoneType in kinds,
                {preset: getattr(parts[place], field.name) for preset, parts in PRESETS.items()},
            )
    return found


SETTINGS = _list_settings()


def choose_settings(preset: str, changes: Mapping[str, Any]) -> tuple[NetworkConfig, Recipe]:
    """The network and the recipe of a preset with some of their settings changed."""
    network, recipe = PRESETS[preset]
    of_network = {field.name for field in fields(NetworkConfig)}
    return (
        replace(network, **{name: value for name, value in changes.items() if name in of_network}),
        replace(recipe, **{name: value for name, value in changes.items() if name not in of_network}),
    )


def read_recipe(path: Path) -> dict[str, Any]:
    """The settings in a TOML file such as `batch = 256`; an InputError if one is unknown or has a wrong value."""
    place = Place(str(path))
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise InputError(f"not a readable recipe ({error})", place) from error
    found = {}
    for name, value in content.items():
        if name not in SETTINGS:
            raise InputError(f"unknown setting '{name}', expected one of {', '.join(SETTINGS)}", place)
        try:
            found[name] = SETTINGS[name].check(value)
        except ValueError:
            setting = SETTINGS[name]
            usual = "true or false" if setting.kind is bool else "a number"
            expected = " or ".join(setting.choices) or usual
            raise InputError(f"the setting {name} is {value!r}, expected {expected}", place) from None
    return found
