"""What a network can tell apart: Visit-1 and Visit-Many learned, and goals that are beyond colour refinement.

    OMP_NUM_THREADS=1 python -m benchmarks.expressivity

Small networks are trained on a CPU, one for every experiment and input, a minute or two each; what is done is kept.
Beside the share of goals whose cost each of them has right, rounded, stands the largest share that any network can have
right: goals of one class of colour refinement get one value. Written: results/expressivity.json and .md.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import torch
from benchmarks.colour_refinement import Graph, classify, list_graphs
from benchmarks.results import find_versions, read, spell_command, write
from benchmarks.visit_goals import (
    DECIDED,
    INPUTS,
    MOST_CELLS,
    OBJECTS,
    PREDICATES,
    Input,
    Pair,
    Visit,
    draw_visit,
    list_arms,
    list_rings,
    make_arms,
    make_gates,
    make_repeated,
    make_rings,
)

from skolem.network.config import NetworkConfig
from skolem.network.graphs import Graphs, collate
from skolem.network.rgnn import RGNN
from skolem.network.vocabulary import UNEQUAL
from skolem.training.optimisation import Optimisation, Targets, calm_down
from skolem.training.recipe import Recipe

LAYERS, WIDTH = 8, 16
RECIPE = Recipe(rate=3e-3, batch=64, average=0.99)
STEPS, FIT_STEPS = 2000, 600
DRAWN, TESTED = 10_000, 1_000
CHUNK = 500
"""Goals that are evaluated at a time."""
EVERY_INEQUALITY = "all inequalities"


@dataclass(frozen=True)
class Experiment:
    """Goals to learn from, and goals to be judged on."""

    name: str
    meaning: str
    inputs: tuple[Input, ...]
    train: Callable[[], list[Visit]]
    test: Callable[[], list[Visit]]
    steps: int


def draw(seed: int, count: int, variables: Sequence[int]) -> list[Visit]:
    """Random goals."""
    rng = Random(seed)
    return [draw_visit(rng, rng.choice(variables)) for _ in range(count)]


def visit(name: str, meaning: str, variables: Sequence[int], inputs: tuple[Input, ...]) -> Experiment:
    """An experiment on random goals, judged on others than it was trained on."""
    return Experiment(
        name,
        meaning,
        inputs,
        lambda: draw(1, DRAWN, variables),
        lambda: draw(2, TESTED, variables),
        STEPS,
    )


def fit(name: str, meaning: str, goals: Callable[[], list[Visit]], inputs: tuple[Input, ...]) -> Experiment:
    """An experiment on goals that are all trained on: whether they can be learned at all."""
    return Experiment(name, meaning, inputs, goals, goals, FIT_STEPS)


def list_both(pairs: Iterable[Pair]) -> list[Visit]:
    """The goals of pairs."""
    return [visit for pair in pairs for visit in (pair.first, pair.second)]


def bind_first(visits: Sequence[Visit]) -> list[Visit]:
    """Every goal with its first variable bound to each cell of its colour."""
    return [v.bind(0, cell) for v in visits for cell, colour in enumerate(v.colours) if colour == v.asked[0]]


EXPERIMENTS = (
    visit("Visit-1", "visit a cell of one colour", (1,), INPUTS),
    visit("Visit-Many", "visit cells of two or three different colours", (2, 3), (PREDICATES, DECIDED)),
    fit("arms", "two colours, on one arm or on two", lambda: list_both(list_arms()), INPUTS),
    fit(
        "arms, one bound",
        "the same with one variable bound",
        lambda: bind_first(list_both(list_arms())),
        (OBJECTS, DECIDED),
    ),
    fit("rings", "two different cells, on one ring or on two", lambda: list_both(list_rings()), (PREDICATES, DECIDED)),
    fit(
        "rings, one bound",
        "the same with one variable bound",
        lambda: bind_first(list_both(list_rings())),
        (PREDICATES, DECIDED),
    ),
)


def main() -> None:
    """Trains the networks, and writes the results and their page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    torch.set_num_threads(1)
    known = {(row["experiment"], row["input"]): row for row in read("expressivity").get("learned", ())}
    # The short ones first.
    for experiment in sorted(EXPERIMENTS, key=lambda experiment: experiment.steps):
        for form in experiment.inputs:
            row = known.get((experiment.name, form.name), {})
            if any(row.get(name) != value for name, value in describe(experiment, given.seed).items()):
                known[experiment.name, form.name] = measure(experiment, form, given.seed)
                save([known[e.name, f.name] for e in EXPERIMENTS for f in e.inputs if (e.name, f.name) in known])


def save(learned: Sequence[dict[str, Any]]) -> None:
    """Writes the results and their page."""
    found = {
        "command": spell_command("expressivity"),
        "versions": find_versions("torch", "numpy"),
        "batch": RECIPE.batch,
        "pairs": [compare(pair) for pair in (make_repeated(), make_rings(3, 2), make_arms(1, 2), make_gates(1, 2))],
        "learned": learned,
    }
    write("expressivity", found, write_page(found))


def describe(experiment: Experiment, seed: int) -> dict[str, Any]:
    """What a row says about its experiment; a row that says something else is measured again."""
    return {
        "experiment": experiment.name,
        "meaning": experiment.meaning,
        "layers": LAYERS,
        "width": WIDTH,
        "rate": RECIPE.rate,
        "steps": experiment.steps,
        "seed": seed,
    }


def measure(experiment: Experiment, form: Input, seed: int) -> dict[str, Any]:
    """Trains a network, and counts the goals it has right beside those that it could have right."""
    train, test = experiment.train(), experiment.test()
    network = learn(form, train, experiment.steps, seed)
    values = predict(network, form, test)
    costs = [get_cost(v) for v in test]
    errors = [abs(value - cost) for value, cost in zip(values, costs, strict=True)]
    classes = classify([show(form, v) for v in test])
    most: dict[int, Counter[int]] = {}
    for number, cost in zip(classes, costs, strict=True):
        most.setdefault(number, Counter())[cost] += 1
    return {
        **describe(experiment, seed),
        "input": form.name,
        "trained": len(train),
        "tested": len(test),
        "longest": max(costs),
        "possible": sum(max(found.values()) for found in most.values()) / len(test),
        "right": sum(error < 0.5 for error in errors) / len(test),
        "error": sum(errors) / len(test),
    }


def configure(form: Input) -> NetworkConfig:
    """The shape of a network: the readout is that of the preset with this input."""
    return NetworkConfig(layers=LAYERS, width=WIDTH, readout="goal" if form.decided else "sum")


def learn(form: Input, visits: Sequence[Visit], steps: int, seed: int) -> RGNN:
    """A network trained on the costs of goals."""
    torch.manual_seed(seed)
    graphs = encode(form, visits)
    costs = torch.tensor([get_cost(v) for v in visits], dtype=torch.float32)
    network = RGNN(configure(form), form.vocabulary)
    calm_down(network, float(costs.mean()))
    optimisation = Optimisation(network, RECIPE)
    for step in range(steps):
        index = torch.randperm(len(visits))[: RECIPE.batch]
        optimisation.step(collate(graphs, index), Targets(costs[index]), RECIPE.rate_at(step / steps))
    network.load_state_dict(optimisation.average)
    return network


@torch.no_grad()
def predict(network: RGNN, form: Input, visits: Sequence[Visit]) -> list[float]:
    """The predicted cost of every goal."""
    graphs = encode(form, visits)
    parts = [torch.arange(start, min(start + CHUNK, len(visits))) for start in range(0, len(visits), CHUNK)]
    return [float(value) for part in parts for value in network(collate(graphs, part))]


def encode(form: Input, visits: Sequence[Visit]) -> Graphs:
    """The graphs of goals."""
    return Graphs.of(form.vocabulary, [form.encode(v) for v in visits])


def show(form: Input, visit: Visit) -> Graph:
    """The graph of a goal, with names."""
    (graph,) = list_graphs(form.vocabulary, form.encode(visit))
    return graph


def show_every_inequality(visit: Visit) -> Graph:
    """The paper's input with the inequalities between different objects too, which are true."""
    graph = show(PREDICATES, visit)
    rows = [(visit.bound[a], visit.bound[b]) for pair in visit.unequal for a, b in (pair, pair[::-1])]
    true = [(UNEQUAL, (a, b)) for a, b in rows if min(a, b) >= 0 and a != b]
    return Graph(graph.goal, (*graph.atoms, *dict.fromkeys(true)))


def compare(pair: Pair) -> dict[str, Any]:
    """The costs of a pair's goals, and by which inputs they can be told apart."""
    shown = {form.name: [show(form, v) for v in (pair.first, pair.second)] for form in INPUTS}
    shown[EVERY_INEQUALITY] = [show_every_inequality(v) for v in (pair.first, pair.second)]
    told = {name: len(set(classify(graphs))) > 1 for name, graphs in shown.items()}
    return {"pair": pair.name, "costs": [pair.first.cost, pair.second.cost], "told": told}


def get_cost(visit: Visit) -> int:
    """The cost of a goal that can be reached."""
    assert visit.cost is not None
    return visit.cost


def write_page(found: dict[str, Any]) -> str:
    """The page of the results."""
    names = [EVERY_INEQUALITY, *(form.name for form in INPUTS)]
    pairs = [
        f"| {each['pair']} | {' and '.join('none' if c is None else str(c) for c in each['costs'])} | "
        + " | ".join("yes" if each["told"][name] else "**no**" for name in names)
        + " |"
        for each in found["pairs"]
    ]
    learned = [
        f"| {e['experiment']} | {e['meaning']} | {e['input']} | {e['tested']} | {e['longest']} | {e['possible']:.1%} "
        f"| {e['right']:.1%} | {e['error']:.3f} |"
        for e in found["learned"]
    ]
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    parts = [
        "# What a network can tell apart",
        "What the pairs and the experiments are, and what follows: [docs/expressivity.md](../docs/expressivity.md).",
        "## Pairs of goals with different costs",
        "Can colour refinement tell them apart? Where it cannot, every network gives both the same value.",
        f"| pair | costs | {' | '.join(names)} |\n|{' --- |' * (2 + len(names))}\n" + "\n".join(pairs),
        _list_inputs(),
        "## What was learned",
        "Possible: the share of goals that some function of the classes of colour refinement has right. Right: the "
        "share that the trained network has right, when its value is rounded. Error: its mean absolute error in steps. "
        "Visit-1 and Visit-Many are judged on other goals than those trained on, the others on all that there are in "
        "small sizes, which were all trained on.",
        "| experiment | goals | input | tested | longest | possible | right | error |\n"
        f"|{' --- |' * 8}\n" + "\n".join(learned),
        f"Networks of {LAYERS} layers of width {WIDTH}, with a readout over all nodes for the paper's inputs and over "
        "the goal's for version 2, as in the presets. On one CPU thread: "
        f"{STEPS:,} steps of {found['batch']} goals for Visit-1 and Visit-Many (from {DRAWN:,} on at most {MOST_CELLS} "
        f"cells), {FIT_STEPS} steps of all goals for the others. {versions}.",
        f"    {found['command']}",
    ]
    return "\n\n".join(parts) + "\n"


def _list_inputs() -> str:
    every = f"- `{EVERY_INEQUALITY}`: as `predicates`, with the inequalities between different objects too"
    return "\n".join([every, *(f"- `{form.name}`: {form.meaning}" for form in INPUTS)])


if __name__ == "__main__":
    main()
