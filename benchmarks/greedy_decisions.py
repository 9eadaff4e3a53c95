"""Are the greedy decisions of a model the same by the fused kernels on the GPU and by the plain network on the CPU?

python -m benchmarks.greedy_decisions MODEL DATASET
"""

import argparse
from pathlib import Path

import torch
from benchmarks.results import read, write

from skolem.network.checkpoint import load_model
from skolem.network.decoding import decode_greedily
from skolem.network.engine.torch_engine import TorchEngine
from skolem.network.scoring import make_score
from skolem.oracle.dataset import PARTS, read_dataset
from skolem.training.greedy_validation import list_goals


def main() -> None:
    """Compares the decisions on the goals of every part, and adds the model to greedy_decisions.json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--goals", type=int, default=300, help="of every part")
    given = parser.parse_args()
    model, card = load_model(given.model)
    fast, _ = load_model(given.model)
    fast.to("cuda")
    dataset = read_dataset(given.dataset)
    rows = []
    for part in PARTS:
        if not dataset.pairs(part):
            continue
        exam = list_goals(dataset.load(part), card.vocabulary, card.network.bindings, given.goals)
        if not exam.problems:
            continue
        plain = decode_greedily(exam.problems, make_score(TorchEngine(model)), card.network.bindings)
        fused = decode_greedily(exam.problems, make_score(TorchEngine(fast)), card.network.bindings)
        costs = [
            [None if choice is None else table.get(choice) for choice, table in zip(choices, exam.costs, strict=True)]
            for choices in (plain, fused)
        ]
        row = {
            "part": part,
            "goals": len(plain),
            "same_binding": sum(a == b for a, b in zip(plain, fused, strict=True)),
            "same_cost": sum(a == b for a, b in zip(*costs, strict=True)),
        }
        rows.append(row)
        print(row, flush=True)
    found = {"model": given.model.name, "gpu": torch.cuda.get_device_name(), "results": rows}
    write("greedy_decisions", {**read("greedy_decisions"), given.model.name: found})


if __name__ == "__main__":
    main()
