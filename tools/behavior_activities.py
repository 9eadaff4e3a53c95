"""BEHAVIOR's activities, read from the installed package `bddl`, as PDDL tasks with a small set of actions.

The package is installed without its dependencies, and nothing of it is copied or imported. An activity says what is
there and what is wanted, not what can be done, so that it cannot be planned for as it is. `convert_activity` makes a
PDDL task of one:

1. The objects' categories become types, the rooms that nobody declares objects, and an object that the goal writes as a
   variable (`?caldron.n.01_1`) is written as what it is. Facts that say what is false are left out.
2. Four static predicates are read off the file: `fixed` (the agent, and what stands in a room or in a source),
   `substance` (what something is covered, filled or soaked with), `openable` (what is somewhere said to be open or
   not), `movable` (neither fixed nor a substance).
3. What is not said to be a thing of the `future` is `real`.
4. The actions of `ACTIONS` are added. A robot with one hand grasps what is movable, real and not shut in, which ends
   all that it was on or in, and places it on top of, inside, ... something before it lets it go: also in several
   ways at once, as activities want a pizza on a plate and in the refrigerator. It pushes things next to each other;
   opens, closes, cooks, heats, cools, freezes, thaws, folds, switches, lights and breaks things; covers, fills and
   soaks them with a substance and takes it off again; and makes what does not exist yet.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import distribution

from skolem.pddl.sexpr import Form, Node, Symbol, parse_form, write
from skolem.task.model import Source

PLACED = ("ontop", "inside", "under", "overlaid", "attached", "draped")
"""What relates a thing to the one it was placed at; grasping it ends all of them."""
PUSHED = ("nextto", "touching")
SUBSTANCES = ("covered", "filled", "contains", "saturated", "insource")
UNARY = ("cooked", "frozen", "open", "folded", "unfolded", "toggled_on", "hot", "on_fire", "future", "real", "broken")
OTHERS = ("inroom", "grasped")


def _place(relation: str) -> str:
    shut = "(imply (openable ?y) (open ?y))" if relation == "inside" else ""
    return f"""(:action place-{relation} :parameters (?x ?y)
    :precondition (and (held ?x) (not (substance ?y)) (not (= ?x ?y)) {shut})
    :effect ({relation} ?x ?y))"""


def _push(relation: str) -> str:
    return f"""(:action push-{relation} :parameters (?x ?y)
    :precondition (and (handempty) (movable ?x) (not (future ?x)) (not (substance ?y)) (not (= ?x ?y)))
    :effect (and ({relation} ?x ?y) ({relation} ?y ?x)))"""


def _change(name: str, effect: str, precondition: str = "(and)") -> str:
    return f"(:action {name} :parameters (?x) :precondition (and (not (substance ?x)) {precondition}) :effect {effect})"


def _treat(name: str, effect: str) -> str:
    return f"""(:action {name} :parameters (?x ?s)
    :precondition (and (not (substance ?x)) (substance ?s)) :effect {effect})"""


_GONE = " ".join(f"(not ({relation} ?x ?y)) (not ({relation} ?y ?x))" for relation in PUSHED)
_LEFT = " ".join(f"(not ({relation} ?x ?y))" for relation in PLACED)
ACTIONS = (
    f"""(:action grasp :parameters (?x)
    :precondition (and (handempty) (movable ?x) (not (future ?x))
                       (forall (?y) (imply (and (inside ?x ?y) (openable ?y)) (open ?y))))
    :effect (and (held ?x) (not (handempty)) (forall (?y) (and {_LEFT} {_GONE}))))""",
    *map(_place, PLACED),
    "(:action release :parameters (?x) :precondition (held ?x) :effect (and (handempty) (not (held ?x))))",
    *map(_push, PUSHED),
    _change("open-up", "(open ?x)", "(openable ?x)"),
    _change("close", "(not (open ?x))", "(openable ?x)"),
    _change("cook", "(and (cooked ?x) (hot ?x))", "(not (frozen ?x)) (not (future ?x))"),
    _change("heat", "(and (hot ?x) (not (frozen ?x)))"),
    _change("cool", "(not (hot ?x))"),
    _change("freeze", "(and (frozen ?x) (not (hot ?x)))"),
    _change("thaw", "(not (frozen ?x))"),
    _change("fold", "(and (folded ?x) (not (unfolded ?x)))"),
    _change("unfold", "(and (unfolded ?x) (not (folded ?x)))"),
    _change("switch-on", "(toggled_on ?x)"),
    _change("switch-off", "(not (toggled_on ?x))"),
    _change("light", "(on_fire ?x)"),
    _change("put-out", "(not (on_fire ?x))"),
    _change("break", "(broken ?x)"),
    # Slices and dishes are objects from the start that are made from others, whatever becomes of these.
    "(:action make :parameters (?x) :precondition (future ?x) :effect (and (real ?x) (not (future ?x))))",
    _treat("cover", "(covered ?x ?s)"),
    _treat("clean", "(not (covered ?x ?s))"),
    _treat("fill", "(and (filled ?x ?s) (contains ?x ?s))"),
    _treat("pour-out", "(and (not (filled ?x ?s)) (not (contains ?x ?s)))"),
    _treat("soak", "(saturated ?x ?s)"),
    _treat("wring", "(not (saturated ?x ?s))"),
)


@dataclass(frozen=True)
class Activity:
    """An activity of the package as a PDDL task."""

    name: str
    domain_text: str
    problem_text: str


def list_activities() -> Iterator[tuple[str, str]]:
    """The names and texts of all activities of the installed package."""
    package = distribution("bddl")
    for file in sorted(package.files or (), key=str):
        if file.suffix == ".bddl" and file.name.startswith("problem"):
            yield f"{file.parent.name}/{file.stem}", file.read_text(encoding="utf-8")


def convert_activity(name: str, text: str) -> Activity:
    """The task of an activity; an InputError for a file with mistakes that are not clear."""
    whole = parse_form(Source(name, text))
    sections = {part.head: part for part in whole.items if isinstance(part, Form)}
    objects = _read_objects(sections[":objects"])
    facts = [fact for fact in sections[":init"].items[1:] if isinstance(fact, Form)]
    goal = _name_objects(sections[":goal"], objects.keys())
    rooms = sorted({write(fact.items[2]) for fact in facts if fact.head == "inroom"} - objects.keys())
    atoms = [_inner(fact) for fact in facts]
    said = [*atoms, *_list_atoms(goal)]
    substances = {_find_kind(atom.items[2], objects) for atom in said if atom.head in SUBSTANCES}
    openable = {_find_kind(atom.items[1], objects) for atom in said if atom.head == "open"}
    fixed = {write(atom.items[1]) for atom in atoms if atom.head in ("inroom", "insource")}
    fixed |= {name for name, kind in objects.items() if kind.startswith("agent")}
    init = [write(fact) for fact in facts if fact.head != "not"]
    future = {write(fact.items[1]) for fact in facts if fact.head == "future"}
    init += ["(handempty)"]
    for obj, kind in objects.items():
        init += [f"(real {obj})"] if obj not in future and f"(real {obj})" not in init else []
        init += [f"(substance {obj})"] if kind in substances else []
        init += [f"(openable {obj})"] if kind in openable else []
        init += [f"(movable {obj})"] if kind not in substances and obj not in fixed else []
    kinds = sorted({*objects.values(), "room-name"})
    declared = " ".join(f"{obj} - {kind}" for obj, kind in objects.items())
    places = f" {' '.join(rooms)} - room-name" if rooms else ""
    predicates = [f"({p} ?x)" for p in (*UNARY, "substance", "openable", "movable", "held")]
    predicates += [f"({p} ?x ?y)" for p in (*PLACED, *PUSHED, *SUBSTANCES, *OTHERS)]
    actions = "\n  ".join(ACTIONS)
    domain = f"""(define (domain omnigibson)
  (:requirements :adl :typing)
  (:types {" ".join(kinds)})
  (:predicates (handempty) {" ".join(predicates)})
  {actions})
"""
    problem = f"""(define (problem {name.replace("/", "-")}) (:domain omnigibson)
  (:objects {declared}{places})
  (:init {" ".join(init)})
  {write(goal)})
"""
    return Activity(name, domain, problem)


def _read_objects(form: Form) -> dict[str, str]:
    """Every object with its category."""
    found: dict[str, str] = {}
    waiting: list[str] = []
    words = iter(form.items[1:])
    for word in words:
        if write(word) == "-":
            kind = write(next(words))
            found |= dict.fromkeys(waiting, kind)
            waiting = []
        else:
            waiting.append(write(word))
    return found | dict.fromkeys(waiting, "object")


def _name_objects(form: Form, objects: Iterable[str]) -> Form:
    """The form with every `?object` written as the object."""
    known = {f"?{name}" for name in objects}

    def name(node: Node) -> Node:
        if isinstance(node, Form):
            return Form(tuple(map(name, node.items)), node.start, node.end)
        return Symbol(node.text[1:], node.start) if node.text in known else node

    named = name(form)
    assert isinstance(named, Form)
    return named


def _inner(form: Form) -> Form:
    """The atom of a literal."""
    return form.items[1] if form.head == "not" and isinstance(form.items[1], Form) else form


def _list_atoms(form: Form) -> Iterator[Form]:
    """All atoms in a condition."""
    inside = [part for part in form.items if isinstance(part, Form)]
    if inside:
        for part in inside:
            yield from _list_atoms(part)
    else:
        yield form


def _find_kind(node: Node, objects: dict[str, str]) -> str:
    """The category of an object, or that which a variable is named after."""
    text = write(node)
    return objects.get(text, text.removeprefix("?").split("_")[0])
