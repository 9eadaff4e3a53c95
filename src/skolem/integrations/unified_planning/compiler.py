"""The compiler `skolem-compiler`: a problem whose goal is bound to objects, and plans mapped back."""

import time
from functools import partial
from typing import Unpack

from unified_planning.engines import CompilationKind
from unified_planning.engines.compilers import QuantifiersRemover
from unified_planning.engines.compilers.utils import get_fresh_name
from unified_planning.engines.mixins import CompilerMixin
from unified_planning.engines.results import CompilerResult, LogLevel
from unified_planning.model import Fluent, Problem, ProblemKind
from unified_planning.plans import ActionInstance

from skolem.api.calls import Options, make_request
from skolem.grounding.protocol import Grounding
from skolem.integrations.unified_planning.engine import SkolemEngine
from skolem.integrations.unified_planning.results import (
    GroundedCompilerResult,
    list_messages,
    list_metrics,
)
from skolem.integrations.unified_planning.translation import Translation, translate
from skolem.solve import ground
from skolem.support.errors import SkolemError
from skolem.task.formulas import And, Atom, Formula, Not
from skolem.task.goals import ground_goal
from skolem.task.model import Task

NAME = "skolem-compiler"
NEVER = "no-objects-fit"
"""The goal of a problem that is proven to have no plan."""


class SkolemCompiler(SkolemEngine, CompilerMixin):
    """Removes the quantifiers of a problem: those of its goal by choosing objects, which may lose plans.

    A plan for the compiled problem is one for the problem; that there is none says nothing about other objects,
    unless its goal is `no-objects-fit`: then it is proven that none can do. The parameters are those of
    `skolem.ground`.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        SkolemEngine.__init__(self)
        CompilerMixin.__init__(self, CompilationKind.QUANTIFIERS_REMOVING)
        self._request = make_request(options)

    @property
    def name(self) -> str:
        """What the engine is called."""
        return NAME

    @staticmethod
    def supports_compilation(compilation_kind: CompilationKind) -> bool:
        """Whether it does a kind of compilation: the removal of quantifiers."""
        return bool(compilation_kind == CompilationKind.QUANTIFIERS_REMOVING)

    @staticmethod
    def resulting_problem_kind(
        problem_kind: ProblemKind, compilation_kind: CompilationKind | None = None
    ) -> ProblemKind:
        """What the compiled problem may have: no quantifiers, but disjunctions where those of actions were."""
        kind = problem_kind.clone()
        if problem_kind.has_existential_conditions():
            kind.set_conditions_kind("DISJUNCTIVE_CONDITIONS")
        kind.unset_conditions_kind("EXISTENTIAL_CONDITIONS")
        kind.unset_conditions_kind("UNIVERSAL_CONDITIONS")
        kind.unset_effects_kind("FORALL_EFFECTS")
        return kind

    def _compile(self, problem: Problem, compilation_kind: CompilationKind) -> CompilerResult:
        started = time.monotonic()
        try:
            translation = translate(problem)
            grounding = ground(translation.task, self._request)
        except SkolemError as error:
            # Nothing is lost: all bindings at once are a correct answer too, if a large one.
            result = QuantifiersRemover().compile(problem, compilation_kind)
            result.engine_name = NAME
            result.log_messages = list_messages(f"all quantifiers written out: {error}", level=LogLevel.WARNING)
            return result
        result = remove_other_quantifiers(ground_problem(translation, grounding))
        result.metrics = list_metrics(translation, grounding, time.monotonic() - started)
        result.log_messages = list_messages(grounding.message)
        return result


def ground_problem(translation: Translation, grounding: Grounding) -> GroundedCompilerResult:
    """The problem with its goal bound to objects, and how its plans become plans of the problem."""
    problem, binding = translation.problem, grounding.binding
    bound = problem.clone()
    bound.name = f"{NAME}_{problem.name}"
    bound.clear_goals()
    if binding is None:
        # Not the constant FALSE, which PDDL cannot write: something that is false and stays so.
        never = Fluent(get_fresh_name(problem, NEVER), environment=problem.environment)
        bound.add_fluent(never, default_initial_value=False)
        bound.add_goal(never)
        return GroundedCompilerResult(bound, partial(_restore, problem=problem), NAME)
    goal = ground_goal(grounding.alternative or translation.task, binding)
    for part in goal.parts if isinstance(goal, And) else (goal,):
        # Not every planner takes what is negated, and none needs what is true for ever.
        if not _is_always_true(translation.task, part):
            bound.add_goal(translation.read_formula(part))
    objects = translation.read_binding(binding)
    return GroundedCompilerResult(bound, partial(_restore, problem=problem), NAME, binding=objects)


def remove_other_quantifiers(result: GroundedCompilerResult) -> GroundedCompilerResult:
    """The result without the quantifiers that the actions and the residual of the goal have."""
    kind = result.problem.kind
    if not (kind.has_existential_conditions() or kind.has_universal_conditions() or kind.has_forall_effects()):
        return result
    further = QuantifiersRemover().compile(result.problem, CompilationKind.QUANTIFIERS_REMOVING)
    before, after = result.map_back_action_instance, further.map_back_action_instance

    def map_back(instance: ActionInstance) -> ActionInstance | None:
        middle = after(instance)
        return None if middle is None else before(middle)

    return GroundedCompilerResult(further.problem, map_back, NAME, binding=result.binding)


def _is_always_true(task: Task, literal: Formula) -> bool:
    """Whether a ground literal is true and no action changes that."""
    atom, positive = (literal.body, False) if isinstance(literal, Not) else (literal, True)
    if not isinstance(atom, Atom) or atom.predicate not in task.domain.static:
        return False
    row = [task.index[str(term)] for term in atom.terms]
    return (row in task.init[atom.predicate].tolist()) == positive


def _restore(instance: ActionInstance, problem: Problem) -> ActionInstance:
    """The same step, of the problem's own action."""
    return ActionInstance(problem.action(instance.action.name), instance.actual_parameters)
