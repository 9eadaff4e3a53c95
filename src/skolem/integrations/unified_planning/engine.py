"""What the engines have in common: which problems they understand, and who made them."""

from typing import Any

from unified_planning.engines import Credits, Engine
from unified_planning.model import ProblemKind
from unified_planning.model.problem_kind_versioning import LATEST_PROBLEM_KIND_VERSION

from skolem import __version__

CREDITS = Credits(
    "Skolem",
    "The authors of Skolem",
    "",
    "",
    "GPLv3",
    "Finds objects for existentially quantified goals, then plans.",
    f"Skolem {__version__} grounds existentially quantified goals: a learned model chooses the objects, and an exact"
    " route takes over where none can.",
)
_FEATURES = {
    "ACTION_BASED",
    "FLAT_TYPING",
    "HIERARCHICAL_TYPING",
    "NEGATIVE_CONDITIONS",
    "DISJUNCTIVE_CONDITIONS",
    "EQUALITIES",
    "EXISTENTIAL_CONDITIONS",
    "UNIVERSAL_CONDITIONS",
    "CONDITIONAL_EFFECTS",
    "FORALL_EFFECTS",
    "STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "ACTIONS_COST",
    "STATIC_FLUENTS_IN_ACTIONS_COST",
    "INT_NUMBERS_IN_ACTIONS_COST",
    "PLAN_LENGTH",
}
KIND = ProblemKind(_FEATURES, version=LATEST_PROBLEM_KIND_VERSION)
"""The problems that can be translated."""


class SkolemEngine(Engine):
    """An engine for all problems that can be translated."""

    @staticmethod
    def supported_kind() -> ProblemKind:
        """The problems that it understands."""
        return KIND

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Whether it understands problems of a kind."""
        return bool(problem_kind <= KIND)

    @staticmethod
    def get_credits(**kwargs: Any) -> Credits:
        """Who made it."""
        return CREDITS
