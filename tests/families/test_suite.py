"""The public suite: every domain reads cleanly, and its problems are reproducible, distinct, open and solvable."""

from random import Random

import pytest
from tests.cli.calls import run_json

from skolem.families.registry import FAMILIES
from skolem.families.suite import NAMES
from skolem.families.suite.registry import SUITE, SuiteInstance, find_suite_domain, generate_suite_problem
from skolem.oracle.costs import expand_task
from skolem.oracle.space import SpaceLimits
from skolem.pddl.reading import read_task_text
from skolem.planning.exact import plan_exact
from skolem.planning.limits import Limits
from skolem.support.errors import InputError, LimitError
from skolem.task.attributes import find_attributes
from skolem.task.formulas import Exists
from skolem.task.model import Source, Task
from skolem.task.satisfaction import satisfy

domains = pytest.mark.parametrize("name", NAMES)


def read(instance: SuiteInstance) -> Task:
    return read_task_text(Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text))


def test_there_are_a_dozen_domains_and_none_is_a_family_of_the_paper() -> None:
    assert len(SUITE) >= 12
    assert list(SUITE) == list(NAMES)
    assert FAMILIES.keys().isdisjoint(SUITE)


@domains
def test_a_domain_is_named_as_its_file_and_says_what_is_special(name: str) -> None:
    domain = SUITE[name]
    assert domain.name == name
    assert domain.notes.endswith(".")
    assert max(domain.learning_sizes) < min(domain.test_sizes)


@domains
@pytest.mark.parametrize("set_", ["train", "test"])
def test_problems_read_without_warnings_and_their_goals_are_open(name: str, set_: str) -> None:
    for index in range(4):
        task = read(generate_suite_problem(name, set_, 1, index))
        assert not task.warnings
        assert task.domain.name == name
        assert isinstance(task.goal.formula, Exists)
        assert 1 <= len(task.goal.formula.variables) <= 4
        assert satisfy(task, task.init) is None


@domains
def test_problems_are_reproducible_and_distinct(name: str) -> None:
    def draw(set_: str, seed: int) -> list[str]:
        return [generate_suite_problem(name, set_, seed, index).problem_text for index in range(8)]

    texts = [*draw("train", 0), *draw("train", 1), *draw("test", 0), *draw("test", 1)]
    assert draw("test", 1) == texts[-8:]
    assert len(set(texts)) == len(texts)


@domains
def test_a_problem_depends_on_nothing_but_its_size_and_its_stream(name: str) -> None:
    size = SUITE[name].learning_sizes[0]
    assert SUITE[name].draw_problem(size, Random(3)) == SUITE[name].draw_problem(size, Random(3))


@domains
def test_small_problems_can_be_solved(name: str) -> None:
    for index in range(2):
        task = read(generate_suite_problem(name, "train", 2, index))
        assert plan_exact(task, "exact", "lama-first", Limits(60.0, 2000)).status == "solved"


@domains
def test_most_problems_to_learn_from_have_small_state_spaces(name: str) -> None:
    def is_small(index: int) -> bool:
        try:
            expand_task(read(generate_suite_problem(name, "train", 2, index)), SpaceLimits(50_000))
        except LimitError:
            return False
        return True

    assert sum(map(is_small, range(4))) >= 2


def test_goals_describe_objects_by_what_no_action_reads() -> None:
    described = [name for name in NAMES if find_attributes(read(generate_suite_problem(name, "train", 0, 0)).domain)]
    assert set(described) >= {"ferry", "logistics", "rovers", "transport", "depots", "sokoban"}


def test_the_suite_has_costs_axioms_conditional_effects_and_goals_beyond_conjunctions() -> None:
    tasks = {name: read(generate_suite_problem(name, "train", 0, 0)) for name in NAMES}
    assert {name for name, task in tasks.items() if task.has_metric} >= {"transport", "barman", "floortile"}
    assert {name for name, task in tasks.items() if task.domain.axioms} >= {"sokoban"}
    assert "when" in SUITE["miconic"].domain
    goals = [read(generate_suite_problem(n, "test", 0, i)).goal for n in ("logistics", "satellite") for i in range(20)]
    outside = {goal.outside.split("'")[0] for goal in goals if goal.outside is not None}
    assert outside == {"the negated atom ", "a universal quantifier"}


def test_what_there_is_not_is_said() -> None:
    with pytest.raises(InputError, match="unknown domain chess: expected one of ferry"):
        find_suite_domain("chess")
    with pytest.raises(InputError, match="no ferry task of size 2: the smallest is 6"):
        generate_suite_problem("ferry", "train", 0, 0, size=2)


def test_generate_writes_problems_of_the_suite(tmp_path: object) -> None:
    code, answer = run_json("generate", "ferry", "--size", "8", "--count", "2", "-o", str(tmp_path))
    assert code == 0
    assert answer["problems"] == ["ferry-train-0-0.pddl", "ferry-train-0-1.pddl"]
    code, answer = run_json("generate", "ferry", "--neq", "-o", str(tmp_path))
    assert (code, answer["message"]) == (31, "--variables and --neq are for the paper's families, not for ferry")
    assert run_json("generate", "ferry", "--set", "lama", "-o", str(tmp_path))[0] == 31
    assert run_json("generate", "blocks", "--set", "test", "-o", str(tmp_path))[0] == 31
