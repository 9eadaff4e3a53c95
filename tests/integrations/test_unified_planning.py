"""Skolem in the hands of unified-planning: fifteen problems, and statuses that say no more than is known."""

import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from benchmarks.unified_planning import validate
from benchmarks.up_problems import PROBLEMS, UNSOLVABLE, Errands, P, X, read_example
from unified_planning.engines import CompilationKind, PlanGenerationResultStatus
from unified_planning.environment import Environment
from unified_planning.model import Fluent, InstantaneousAction, Object, Problem
from unified_planning.model.metrics import MinimizeSequentialPlanLength
from unified_planning.shortcuts import (
    And,
    BoolType,
    Compiler,
    Exists,
    Forall,
    GlobalStartTiming,
    Iff,
    Not,
    OneshotPlanner,
    Or,
    UserType,
    Variable,
    get_environment,
)

from skolem.integrations import register
from skolem.integrations.unified_planning import SkolemCompiler
from skolem.integrations.unified_planning.translation import translate
from skolem.planning.translator_pool import close_translators

Status = PlanGenerationResultStatus
WITH_COSTS = ("costs", "distances")


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    get_environment().credits_stream = None
    register()
    yield
    close_translators()


def solve(problem: Problem, engine: str, timeout: float | None = None, **params: Any) -> Any:
    with warnings.catch_warnings(), OneshotPlanner(name=engine, params=params) as planner:
        warnings.simplefilter("ignore")
        return planner.solve(problem, timeout=timeout)


def compile_problem(problem: Problem) -> Any:
    with Compiler(name="skolem-compiler") as compiler:
        return compiler.compile(problem, CompilationKind.QUANTIFIERS_REMOVING)


@pytest.mark.parametrize("engine", ["skolem", "skolem[fast-downward]", "skolem[pyperplan]"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_fifteen_problems(name: str, engine: str) -> None:
    problem = PROBLEMS[name]()
    result = solve(problem, engine)
    if name in UNSOLVABLE:
        assert (result.status, result.plan, result.binding) == (Status.UNSOLVABLE_PROVEN, None, None)
    elif name in WITH_COSTS and engine == "skolem[pyperplan]":
        assert (result.status, result.plan) == (Status.UNSUPPORTED_PROBLEM, None)
    else:
        assert result.status == Status.SOLVED_SATISFICING
        assert (validate(problem, result.plan, result.binding) or "").startswith("VALID")
        assert {obj.environment for obj in result.binding.values()} == {problem.environment}
        assert all(problem.object(obj.name) == obj for obj in result.binding.values())


@pytest.mark.parametrize("engine", ["fast-downward", "pyperplan"])
@pytest.mark.parametrize("name", ["tower", "typed", "nested", "shared", "forall", "different", "either"])
def test_compiled_problems_are_for_any_planner(name: str, engine: str) -> None:
    problem = PROBLEMS[name]()
    compiled = compile_problem(problem)
    kind = compiled.problem.kind
    assert not kind.has_existential_conditions()
    assert not kind.has_universal_conditions()
    assert kind <= SkolemCompiler.resulting_problem_kind(problem.kind)
    plan = solve(compiled.problem, engine).plan.replace_action_instances(compiled.map_back_action_instance)
    assert (validate(problem, plan, compiled.binding) or "").startswith("VALID")
    assert all(step.action in problem.actions for step in plan.actions)


@pytest.mark.parametrize("engine", ["fast-downward", "pyperplan"])
@pytest.mark.parametrize("name", UNSOLVABLE)
def test_compiled_problems_without_a_plan_are_for_any_planner(name: str, engine: str) -> None:
    result = solve(compile_problem(PROBLEMS[name]()).problem, engine)
    assert result.status in (Status.UNSOLVABLE_PROVEN, Status.UNSOLVABLE_INCOMPLETELY)


def test_costs_are_respected() -> None:
    problem = PROBLEMS["costs"]()
    result = solve(problem, "skolem", planner="seq-opt-lmcut")
    assert result.status == Status.SOLVED_OPTIMALLY
    # One move with a red thing to the shelf beside it.
    assert [step.action.name for step in result.plan.actions].count("move-to") == 1


def test_without_a_metric_nothing_is_optimal() -> None:
    assert solve(PROBLEMS["typed"](), "skolem", planner="seq-opt-lmcut").status == Status.SOLVED_SATISFICING


def test_the_best_plan_for_some_objects_need_not_be_the_best() -> None:
    problem = PROBLEMS["length"]()
    assert solve(problem, "skolem[fast-downward-opt]").status == Status.SOLVED_SATISFICING
    world = Errands("one", 3, 2)
    world.problem.add_quality_metric(MinimizeSequentialPlanLength())
    # Only one of the things is red.
    only = world.aim(Exists(And(world.held(X), world.red(X)), X))
    assert solve(only, "skolem[fast-downward-opt]").status == Status.SOLVED_OPTIMALLY


def test_a_goal_that_is_true_already() -> None:
    world = Errands("done")
    world.problem.add_quality_metric(MinimizeSequentialPlanLength())
    result = solve(world.aim(Exists(world.at_robot(P), P)), "skolem[fast-downward]")
    assert (result.status, result.plan.actions) == (Status.SOLVED_OPTIMALLY, [])


def test_the_binding_is_in_the_problems_own_terms() -> None:
    problem = PROBLEMS["spaces"]()
    result = solve(problem, "skolem[fast-downward]")
    names = {variable.name: obj.name for variable, obj in result.binding.items()}
    assert names.keys() == {"Some Thing", "Some Place"}
    assert names["Some Place"] in ("Place 1", "Place 3")
    assert json.loads(result.metrics["skolem_binding"]).keys() == {"?some_thing", "?some_place"}
    assert set(json.loads(result.metrics["skolem_binding"]).values()) == set(names.values())


def test_a_shared_variable_has_two_objects() -> None:
    result = solve(PROBLEMS["shared"](), "skolem")
    assert sorted(variable.name for variable in result.binding) == ["x", "x_2"]


def test_the_trace_is_in_the_metrics() -> None:
    for result in (solve(read_example("blocks", "tower"), "skolem"), compile_problem(read_example("blocks", "tower"))):
        trace = json.loads(result.metrics["skolem_trace"])
        assert [step["variable"] for step in trace] == ["?x1", "?x2", "?x3", "?x4", "?x5"]
        assert all(choice["value"] > 0 for step in trace for choice in step["ranked"])
        assert float(result.metrics["skolem_predicted_cost"]) == pytest.approx(9, abs=0.5)


def test_names_that_differ_in_case_alone() -> None:
    kind = UserType("Kind")
    problem = Problem("Names")
    here, here_too = Fluent("Done", BoolType(), of=kind), Fluent("done", BoolType(), of=kind)
    for fluent in (here, here_too):
        problem.add_fluent(fluent, default_initial_value=False)
    action = InstantaneousAction("Do it (now)", what=kind)
    action.add_precondition(Not(here(action.parameter("what"))))
    action.add_effect(here(action.parameter("what")), True)
    problem.add_action(action)
    problem.add_objects([Object(name, kind) for name in ("A", "a", "1st", "?x")])
    x = Variable("The One?", kind)
    problem.add_goal(Exists(And(here(x), Not(here_too(x))), x))
    result = solve(problem, "skolem[fast-downward]")
    assert result.status == Status.SOLVED_SATISFICING
    (step,) = result.plan.actions
    assert step.action is action
    assert result.binding[x] == step.actual_parameters[0].object()


@pytest.mark.parametrize("name", ["iff", "false", "true", "forall-exists"])
def test_all_of_the_language_of_goals(name: str) -> None:
    world = Errands(name, 3, 4)
    manager = world.problem.environment.expression_manager
    goal = {
        "iff": Exists(And(world.held(X), Iff(world.red(X), Exists(world.at_robot(P), P))), X),
        "false": Exists(And(world.held(X), manager.FALSE()), X),
        "true": Or(Exists(world.held(X), X), manager.TRUE()),
        "forall-exists": Forall(Exists(And(world.at(X, P), world.shelf(P)), P), X),
    }[name]
    problem = world.aim(goal)
    result = solve(problem, "skolem")
    if name == "false":
        assert result.status == Status.UNSOLVABLE_PROVEN
        (goal,) = compile_problem(problem).problem.goals
        assert goal.fluent().name == "no-objects-fit"
    else:
        assert result.status == Status.SOLVED_SATISFICING
        assert validate(problem, result.plan, None) == "VALID (the goal)"
        assert not compile_problem(problem).problem.kind.has_existential_conditions()


def test_quantifiers_of_actions_are_removed_too() -> None:
    world = Errands("actions", 3, 2)
    world.take.add_precondition(Exists(And(world.shelf(P), Not(world.at_robot(P))), P))
    problem = world.aim(Exists(And(world.held(X), world.red(X)), X))
    compiled = compile_problem(problem)
    assert not compiled.problem.kind.has_existential_conditions()
    plan = solve(compiled.problem, "fast-downward").plan.replace_action_instances(compiled.map_back_action_instance)
    assert validate(problem, plan, None) == "VALID (the goal)"
    assert solve(problem, "skolem[pyperplan]").status == Status.UNSUPPORTED_PROBLEM


def test_no_time_is_a_timeout() -> None:
    for engine in ("skolem", "skolem[fast-downward]"):
        assert solve(PROBLEMS["different"](), engine, timeout=0.001).status == Status.TIMEOUT


def test_no_memory_is_a_memout() -> None:
    problem = PROBLEMS["different"]()
    assert solve(problem, "skolem", grounder="exact", memory_limit=1).status == Status.MEMOUT


def test_what_pddl_cannot_say_is_not_supported() -> None:
    problem = PROBLEMS["typed"]()
    problem.add_timed_effect(GlobalStartTiming(5), problem.fluent("free-hand"), True)
    assert solve(problem, "skolem").status == Status.UNSUPPORTED_PROBLEM


def test_where_nothing_can_be_chosen_all_is_written_out() -> None:
    problem = PROBLEMS["typed"]()
    with Compiler(name="skolem-compiler", params={"grounder": "learned"}) as compiler:
        compiled = compiler.compile(problem, CompilationKind.QUANTIFIERS_REMOVING)
    (message,) = compiled.log_messages
    assert "all quantifiers written out: there is no learned model" in message.message
    plan = solve(compiled.problem, "fast-downward").plan.replace_action_instances(compiled.map_back_action_instance)
    assert validate(problem, plan, None) == "VALID (the goal)"


def test_a_heuristic_is_not_silently_ignored() -> None:
    problem, output = PROBLEMS["typed"](), StringIO()
    with OneshotPlanner(name="skolem") as planner, pytest.warns(UserWarning, match="does not use the heuristic"):
        planner.solve(problem, heuristic=lambda state: 0.0, output_stream=output)
    assert output.getvalue().startswith("skolem: solved")


def test_registering_twice_is_registering_once() -> None:
    environment = Environment()
    register(environment)
    before = environment.factory.engines
    register(environment)
    assert environment.factory.engines == before
    assert {"skolem", "skolem-compiler", "skolem[fast-downward]", "skolem[pyperplan]"} <= set(before)
    assert "skolem[skolem]" not in before


def test_an_ini_file_is_enough(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "unified-planning.md").read_text(encoding="utf-8")
    (snippet,) = [block.split("```")[0] for block in page.split("```ini\n")[1:]]
    (tmp_path / "up.ini").write_text(snippet)
    script = tmp_path / "program.py"
    script.write_text(
        "from unified_planning.shortcuts import get_environment\n"
        "print([name for name in get_environment().factory.engines if name.startswith('skolem')])\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    names = set(json.loads(done.stdout.replace("'", '"')))
    assert {"skolem", "skolem-compiler", "skolem[fast-downward]"} <= names


def test_the_same_problem_is_the_same_task_every_time() -> None:
    texts = set()
    for seed in ("1", "2", "3"):
        script = (
            "from benchmarks.up_problems import PROBLEMS\n"
            "from skolem.integrations.unified_planning.translation import translate\n"
            "task = translate(PROBLEMS['different']()).task\n"
            "print(task.source.text, task.domain.source.text)\n"
        )
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))}
        command = [sys.executable, "-c", script]
        texts.add(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
    assert len(texts) == 1


def test_plans_go_there_and_back() -> None:
    problem = PROBLEMS["spaces"]()
    translation = translate(problem)
    result = solve(problem, "skolem")
    assert str(translation.read_plan(translation.write_plan(result.plan))) == str(result.plan)


def test_compiled_problems_keep_their_names() -> None:
    problem = PROBLEMS["spaces"]()
    compiled = compile_problem(problem)
    # Not with pyperplan, which finds no plan for names with spaces, whatever the goal.
    plan = solve(compiled.problem, "fast-downward").plan.replace_action_instances(compiled.map_back_action_instance)
    assert validate(problem, plan, None) == "VALID (the goal)"
    assert plan.actions[0].action.name == "Take"


def test_what_is_true_for_ever_is_no_part_of_a_grounded_goal() -> None:
    (first, second) = compile_problem(PROBLEMS["shared"]()).problem.goals
    assert {first.fluent().name, second.fluent().name} == {"at-place"}
