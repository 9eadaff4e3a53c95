"""Everything that can be asked for: the one list behind the HTTP routes, the JSON lines, and the tools of MCP."""

from dataclasses import dataclass

from skolem.integrations.server.fields import Field

MOST_PDDL = 2_000_000
"""Characters of a domain or a problem."""
MOST_PLAN = 1_000_000
MOST_GOAL = 100_000

GROUNDERS = ("auto", "learned", "beam", "random", "random-valid", "exact", "bind-axiom", "end", "miniscope", "dnf")
PLANNERS = ("lama-first", "lama", "seq-opt-lmcut", "seq-opt-bjolp", "policy")
"""Planners are taken from this list alone: a search string could name anything."""

_TASK = (
    Field("domain", "text", "The PDDL domain, as text: (define (domain NAME) ...).", True, most=MOST_PDDL),
    Field(
        "problem",
        "text",
        "The PDDL problem, as text: (define (problem NAME) (:domain NAME) (:objects ...) (:init ...) (:goal ...)). "
        "The goal may describe objects instead of naming them, for example "
        "(exists (?x ?y) (and (red ?x) (blue ?y) (on ?x ?y) (not (= ?x ?y)))).",
        True,
        most=MOST_PDDL,
    ),
)
_BIND = Field(
    "bind",
    "names",
    'Objects that variables of the goal must have, as {"?x": "a"}; all other variables stay free.',
)
_BOUND = Field("bound", "number", "Seconds in which a lower bound on the cost is looked for.", least=0.1, most=60)
_SEARCH = (
    Field("grounder", "text", "How objects are chosen; auto is right unless you compare methods.", choices=GROUNDERS),
    Field(
        "planner",
        "text",
        "lama-first (default) finds a plan quickly, lama improves it until the time limit, seq-opt-lmcut proves that "
        "it is the cheapest one.",
        choices=PLANNERS,
    ),
    Field("effort", "text", "How much is done for a cheap plan.", choices=("fast", "default", "best")),
    Field("model", "text", "The name of a model, as `models` lists them; the one that fits is taken otherwise."),
    Field("paper", "flag", "Whether the paper's model and policy are taken."),
    Field("width", "integer", "The width of the beam.", least=1, most=64),
    Field("seed", "integer", "Of the random grounders.", least=0, most=2**31),
)
_LIMITS = (
    Field("time_limit", "number", "Seconds; the server's own limit is the most.", least=0.1, most=86_400),
    Field("memory_limit", "integer", "Megabytes; the server's own limit is the most.", least=100, most=1_000_000),
)
_SESSION = Field("session", "text", "The session, as `open` named it.", True)
_CHANGE = (
    Field("gone", "texts", "Objects that are no longer there; everything that was true of them goes with them."),
    Field(
        "objects", "names", 'New objects with their types, as {"mug2": "mug"}; the type is "object" in untyped domains.'
    ),
    Field("remove", "texts", 'Atoms that are not true any more, as ["(on mug1 table)"].', most=10_000),
    Field("add", "texts", 'Atoms that are true now, as ["(on mug1 shelf)"].', most=10_000),
    Field("goal", "text", "Another goal, as a PDDL condition such as (exists (?x) (clean ?x)).", most=MOST_GOAL),
)


@dataclass(frozen=True)
class Operation:
    """Something that can be asked for."""

    name: str
    purpose: str
    fields: tuple[Field, ...] = ()
    session: bool = False
    """Whether it is about a session."""
    reads: bool = False
    """Whether it has no parameters and changes nothing, so that a plain GET answers it."""


OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation(
            "plan",
            "Finds objects for the variables of the goal and a validated plan. Answers with status (solved, "
            "unsolvable, unsolved), binding, plan, cost, valid, route, times and a message.",
            (*_TASK, *_SEARCH, *_LIMITS, _BIND, _BOUND),
        ),
        Operation(
            "ground",
            "Chooses objects for the variables of the goal without planning, and predicts the cost of a plan. Answers "
            "with status (grounded, unsolvable), binding, predicted_cost, trace, route and the grounded problem.",
            (*_TASK, *_SEARCH, *_LIMITS, _BIND),
        ),
        Operation(
            "explain",
            "Says for every variable which objects are possible, which are ruled out by which part of the goal, which "
            "are proven to be unreachable, and what each choice was predicted to cost. With `why`, also what the plan "
            "costs if variables must have other objects.",
            (
                *_TASK,
                *_SEARCH,
                *_LIMITS,
                Field("why", "names", 'Objects to ask about, as {"?x": "mug2"}: why not these, and at what cost.'),
            ),
        ),
        Operation(
            "check",
            "Reads a domain, and a problem if there is one, and lists every error and warning with its line and "
            "column. Ask this first when you have written or changed PDDL.",
            (_TASK[0], Field("problem", "text", "The PDDL problem, as text.", most=MOST_PDDL)),
        ),
        Operation(
            "validate",
            "Checks a plan step by step, then the quantified goal in the last state. Answers with valid, cost, the "
            "reason, and the objects with which the goal is true.",
            (
                *_TASK,
                Field("plan", "text", "One step a line, as (pick-up a). Comments begin with ;.", True, most=MOST_PLAN),
            ),
        ),
        Operation(
            "draw",
            "Draws the state, every state of a plan, and the goal as SVG.",
            (
                *_TASK,
                Field("plan", "text", "Steps, one a line.", most=MOST_PLAN),
                Field("binding", "names", 'Objects to mark, as {"?x": "a"}.'),
            ),
        ),
        Operation("models", "Lists the learned models.", reads=True),
        Operation("examples", "Lists example tasks with their texts.", reads=True),
        Operation(
            "open",
            "Opens a session about a world that will change: the domain and the problem are read once. Answers with "
            "the session's name, which all further calls need, and when it expires.",
            _TASK,
            session=True,
        ),
        Operation(
            "change",
            "Tells a session what changed in its world. All of it is taken in, or nothing where a part is wrong.",
            (_SESSION, *_CHANGE),
            session=True,
        ),
        Operation(
            "ask",
            "Plans for a session's world as it is now. The objects of the last answer are kept while they are good; "
            "`kept` says whether they were and `why` the reason. Changes may be told in the same call.",
            (_SESSION, *_CHANGE, *_SEARCH, *_LIMITS),
            session=True,
        ),
        Operation("show", "The world of a session as PDDL, and its last answer.", (_SESSION,), session=True),
        Operation("close", "Ends a session.", (_SESSION,), session=True),
    )
}
