"""The figures of the paper "Learning to Ground Existentially Quantified Goals" (KR 2024) that ours stand beside."""

from dataclasses import dataclass

from skolem.planning.limits import Limits

CODE = "https://github.com/Martin36/ground-existentially-quant-goals"
"""The authors' public code."""
AUTHORS_LIMITS = Limits(1800.0, 8192)
"""What the authors' code gives lama-first for each task: 30 minutes and 8 GB."""


@dataclass(frozen=True)
class OptimalRow:
    """One cell of the first results table: the learned grounder on an optimal test set."""

    coverage: float
    v_star: float
    ratio: float


@dataclass(frozen=True)
class RandomRow:
    """The random groundings of the first results table, which the paper gives once per domain."""

    coverage_all: float
    coverage_valid: float
    ratio: float


@dataclass(frozen=True)
class LamaRow:
    """One row of the LAMA or a scaling table: the learned grounder with LAMA, and LAMA on the quantified goal."""

    count: int
    coverage: float
    lama_coverage: float
    v_lama: float
    ratio: float
    speedup: float


OPTIMAL: dict[tuple[str, bool], OptimalRow] = {
    ("blocks", False): OptimalRow(0.998, 8.918, 1.211),
    ("blocks-c", False): OptimalRow(0.998, 3.402, 1.103),
    ("gripper", False): OptimalRow(1.0, 4.78, 1.298),
    ("delivery", False): OptimalRow(0.998, 9.016, 1.238),
    ("visitall", False): OptimalRow(1.0, 4.072, 1.181),
    ("blocks", True): OptimalRow(0.998, 8.918, 1.211),
    ("blocks-c", True): OptimalRow(1.0, 4.478, 1.019),
    ("gripper", True): OptimalRow(0.994, 5.304, 1.189),
    ("delivery", True): OptimalRow(1.0, 9.224, 1.177),
    ("visitall", True): OptimalRow(0.992, 4.712, 1.080),
}

RANDOM: dict[str, RandomRow] = {
    "blocks": RandomRow(0.038, 0.762, 1.391),
    "blocks-c": RandomRow(0.068, 1.0, 1.797),
    "gripper": RandomRow(0.03, 0.866, 1.499),
    "delivery": RandomRow(0.108, 1.0, 1.522),
    "visitall": RandomRow(0.026, 1.0, 1.445),
}

LAMA: dict[tuple[str, bool], LamaRow] = {
    ("blocks", False): LamaRow(500, 1.0, 0.994, 11.93, 1.245, 19.837),
    ("blocks-c", False): LamaRow(500, 1.0, 1.0, 2.74, 1.179, 1.359),
    ("gripper", False): LamaRow(500, 0.976, 0.962, 6.368, 1.263, 104.335),
    ("delivery", False): LamaRow(500, 0.99, 0.986, 7.958, 1.459, 50.495),
    ("visitall", False): LamaRow(500, 1.0, 0.98, 4.884, 1.480, 33.219),
    ("blocks", True): LamaRow(500, 1.0, 0.992, 11.93, 1.245, 19.837),
    ("blocks-c", True): LamaRow(500, 0.998, 1.0, 4.438, 1.047, 1.190),
    ("gripper", True): LamaRow(500, 0.996, 0.97, 7.07, 1.239, 68.306),
    ("delivery", True): LamaRow(500, 1.0, 0.986, 8.768, 1.212, 36.533),
    ("visitall", True): LamaRow(500, 0.888, 0.966, 5.306, 1.122, 43.468),
}

SCALING: dict[tuple[str, int], LamaRow] = {
    ("blocks", 7): LamaRow(33, 1.0, 1.0, 18.485, 1.131, 0.453),
    ("blocks", 9): LamaRow(33, 1.0, 1.0, 15.939, 1.399, 4.207),
    ("blocks", 11): LamaRow(31, 1.0, 1.0, 14.645, 1.198, 16.818),
    ("blocks", 13): LamaRow(27, 1.0, 1.0, 14.111, 1.491, 1.843),
    ("blocks", 15): LamaRow(33, 1.0, 1.0, 11.545, 1.247, 6.964),
    ("blocks", 17): LamaRow(29, 1.0, 0.931, 11.778, 1.476, 136.028),
    ("visitall", 16): LamaRow(27, 0.963, 1.0, 5.444, 1.003, 0.788),
    ("visitall", 20): LamaRow(25, 1.0, 1.0, 6.36, 1.126, 1.775),
    ("visitall", 25): LamaRow(25, 0.96, 1.0, 6.0, 1.132, 5.333),
    ("visitall", 49): LamaRow(21, 0.714, 0.952, 8.2, 0.911, 13.813),
    ("visitall", 64): LamaRow(32, 0.563, 0.813, 7.577, 1.027, 14.996),
    ("visitall", 100): LamaRow(36, 0.611, 0.806, 4.690, 1.386, 8.513),
}
