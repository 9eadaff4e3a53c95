"""The route `dnf`: the goal as it is, for Fast Downward to expand; it takes every goal."""

from skolem.planning.rewriting import Rewriter, Rewriting, write_atom
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Term, Variable
from skolem.task.model import Goal, Task


def rewrite(task: Task) -> Rewriting:
    """The task with its own goal."""
    rewriter = Rewriter(task)
    return rewriter.finish(_write_goal(_flatten(task.goal), rewriter))


def _flatten(goal: Goal) -> Formula:
    """The goal with one quantifier and one conjunction if that says it all: Fast Downward reads nesting recursively."""
    if goal.outside is not None:
        return goal.formula
    equalities = [Equal(*pair) for pair in goal.equalities]
    inequalities = [Not(Equal(*pair)) for pair in goal.inequalities]
    return Exists(goal.variables, And((*goal.atoms, *equalities, *inequalities)))


def _write_goal(formula: Formula, rewriter: Rewriter) -> str:
    """The formula as text, without recursion because goals may be nested to any depth."""
    names: dict[Variable, str] = {}

    def name(term: Term) -> str:
        return term if isinstance(term, str) else names[term]

    def declare(variables: tuple[Variable, ...]) -> tuple[str, list[str]]:
        words, guards = [], []
        for variable in variables:
            names[variable] = f"?v{len(names)}"
            words.append(f"{names[variable]} - {variable.types[0] if len(variable.types) == 1 else 'object'}")
            if len(variable.types) > 1:
                guards.append(write_atom(rewriter.find_union(variable.types), names[variable]))
        return " ".join(words), guards

    pieces: list[str] = []
    stack: list[Formula | str] = [formula]
    while stack:
        top = stack.pop()
        match top:
            case str():
                pieces.append(top)
            case Atom(predicate, terms):
                pieces.append(write_atom(predicate, *map(name, terms)))
            case Equal(left, right):
                pieces.append(write_atom("=", name(left), name(right)))
            case Not(body):
                pieces.append("(not")
                stack += [")", body]
            case And(parts) | Or(parts):
                pieces.append("(and" if isinstance(top, And) else "(or")
                stack += [")", *reversed(parts)]
            case Exists((), body) | Forall((), body):
                stack.append(body)
            case Exists(variables, body) | Forall(variables, body):
                words, guards = declare(variables)
                quantifier, link = ("exists", "and") if isinstance(top, Exists) else ("forall", "imply")
                pieces.append(f"({quantifier} ({words})")
                if guards:
                    pieces.append(f"({link} (and {' '.join(guards)})")
                stack += ["))" if guards else ")", body]
    return " ".join(pieces)
