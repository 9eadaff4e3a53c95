"""The paper's figures on large instances: its LAMA table and its two scaling tables."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LamaRow:
    """One row: the learned grounder with LAMA, and LAMA on the quantified goal."""

    count: int
    coverage: float
    lama_coverage: float
    v_lama: float
    ratio: float
    speedup: float


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
