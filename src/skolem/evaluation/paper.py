"""The figures of the paper "Learning to Ground Existentially Quantified Goals" (KR 2024) that ours stand beside."""

from dataclasses import dataclass


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
