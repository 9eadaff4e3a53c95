"""What the functions of the API return: as data, as JSON, and as a picture or a table in a notebook."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Self

from skolem import request
from skolem.api.tables import join_html, write_lines, write_table
from skolem.grounding import explanation, protocol
from skolem.pddl.writing import write_grounded
from skolem.planning import validation
from skolem.support.files import write_text
from skolem.task import model

_DRAWING = Lock()
"""Held by the one thread that draws: the drawing library has settings that are shared by all."""


class Task(model.Task):
    """A domain, objects, an initial state and a goal; in a notebook a picture of them.

    >>> import skolem
    >>> skolem.read("examples/blocks/domain.pddl", "examples/blocks/tower.pddl")
    <Task tower: domain blocks, 8 objects, goal variables ?x1 ?x2 ?x3 ?x4 ?x5>
    """

    @classmethod
    def of(cls, task: model.Task) -> Self:
        """The same task."""
        return task if isinstance(task, cls) else cls(**_take_fields(task))

    def __repr__(self) -> str:
        variables = " ".join(variable.name for variable in self.goal.variables)
        goal = f"goal variables {variables}" if variables else f"goal with {self.goal.outside or 'no variables'}"
        return f"<Task {self.name}: domain {self.domain.name}, {len(self.objects)} objects, {goal}>"

    @cached_property
    def _svg(self) -> str | None:
        return _draw(self)

    def _repr_svg_(self) -> str | None:
        return self._svg


class Binding(dict[str, str]):
    """The object of every variable; in a notebook a table."""

    def _repr_html_(self) -> str:
        return write_table(("variable", "object"), self.items())


class Candidates(dict[str, tuple[str, ...]]):
    """The objects that the static description of the goal allows each variable; in a notebook a table."""

    def to_dict(self) -> dict[str, list[str]]:
        """The candidates as JSON has them."""
        return {variable: list(objects) for variable, objects in self.items()}

    def _repr_html_(self) -> str:
        rows = ((variable, str(len(objects)), " ".join(objects)) for variable, objects in self.items())
        return write_table(("variable", "candidates", "objects"), rows)


@dataclass(frozen=True)
class Solution(request.Solution):
    """The outcome of planning; `to_dict` is what `skolem plan --json` prints, `str` the plan as a planner's file."""

    task: Task | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, solution: request.Solution, task: Task, times: Mapping[str, float]) -> Self:
        """The solution of a task, with all times."""
        binding = None if solution.binding is None else Binding(solution.binding)
        return cls(**{**_take_fields(solution), "binding": binding, "times": dict(times), "task": task})

    def __str__(self) -> str:
        if self.plan is None:
            return f"; {self.status}: {self.message or self.route}\n"
        unit = self.task is None or not self.task.has_metric
        return validation.format_plan(self.plan, self.cost or 0, unit)

    def save(self, path: str | Path) -> None:
        """Writes the plan into a file, in the format of the planning competitions."""
        write_text(Path(path), str(self))

    @cached_property
    def _svg(self) -> str | None:
        return None if self.task is None else _draw(self.task, self.binding)

    def _repr_svg_(self) -> str | None:
        return self._svg

    def _repr_html_(self) -> str:
        word = f"cost {self.cost}" if self.status == "solved" else f"{self.status}: {self.message}"
        return join_html(
            self._svg,
            Binding(self.binding)._repr_html_() if self.binding else None,
            write_lines(self.plan or ()),
            write_lines([f"{word} (route {self.route}, {self.times.get('total', 0.0):.2f} s)"]),
        )


@dataclass(frozen=True)
class Explanation(explanation.Explanation):
    """Why objects were chosen; in a notebook a table of what each variable could be."""

    def _repr_html_(self) -> str:
        rows = (
            (variable.variable, variable.chosen or "", "; ".join(f"{kind}: {line}" for kind, line in reasons))
            for goal in self.goals
            for variable in goal.variables
            if (reasons := list(variable.list_reasons(goal.conflict)))
        )
        return join_html(
            write_table(("variable", "object", "reasons"), rows), *(write_lines([f.text]) for f in self.forced)
        )


@dataclass(frozen=True)
class Grounding(protocol.Grounding):
    """The objects that were chosen; `to_dict` is what `skolem ground --json` prints, `problem` the grounded problem."""

    task: Task | None = field(default=None, repr=False, compare=False)
    problem: str | None = field(default=None, repr=False)
    """The user's problem with the goal bound, as PDDL text."""

    @classmethod
    def of(cls, grounding: protocol.Grounding, task: Task, times: Mapping[str, float]) -> Self:
        """The grounding of a task, with all times."""
        found = grounding.binding
        text = None if found is None else write_grounded(grounding.alternative or task, found)
        binding = None if found is None else Binding(found)
        own = {"binding": binding, "times": dict(times), "task": task, "problem": text}
        return cls(**{**_take_fields(grounding), **own})

    @cached_property
    def _svg(self) -> str | None:
        return None if self.task is None else _draw(self.task, self.binding)

    def _repr_svg_(self) -> str | None:
        return self._svg

    def _repr_html_(self) -> str:
        steps = (
            write_table(
                ("variable", "object", "predicted cost"),
                ((choice.variable, choice.object, f"{choice.value:.2f}") for choice in step.ranked),
                f"step {number}: {step.variable} = {step.object}",
            )
            for number, step in enumerate(self.trace, 1)
        )
        cost = "" if self.predicted_cost is None else f", predicted cost {self.predicted_cost:.2f}"
        word = self.status if self.binding is None else "grounded"
        return join_html(
            self._svg,
            Binding(self.binding)._repr_html_() if self.binding else None,
            write_lines([f"{word} (route {self.route}{cost})"]),
            *steps,
        )


@dataclass(frozen=True)
class Validation(validation.Validation):
    """Whether a plan achieves the goal; `to_dict` is what `skolem validate --json` prints."""

    def __bool__(self) -> bool:
        return self.valid

    def _repr_html_(self) -> str:
        word = f"valid, cost {self.cost}" if self.valid else f"not valid: {self.reason}"
        return join_html(Binding(self.binding)._repr_html_() if self.binding else None, write_lines([word]))


@dataclass(frozen=True)
class Drawing:
    """A picture of a task, in which the objects of a binding are marked."""

    task: Task = field(repr=False)
    binding: model.Binding | None = None

    @cached_property
    def svg(self) -> str:
        """The picture as SVG text."""
        return draw_svg(self.task, self.binding)

    def save(self, path: str | Path) -> None:
        """Writes the picture into a file, SVG or PNG by the end of its name."""
        from skolem.drawing import save_drawing

        with _DRAWING:
            save_drawing(self.task, Path(path), self.binding)

    def _repr_svg_(self) -> str:
        return self.svg


def _take_fields(value: Any) -> dict[str, Any]:
    return {part.name: getattr(value, part.name) for part in fields(value)}


def _draw(task: model.Task, binding: model.Binding | None = None) -> str | None:
    """The picture of a task as SVG; None where no drawing library is installed, for a notebook does without then."""
    try:
        return draw_svg(task, binding)
    except ModuleNotFoundError:
        return None


def draw_svg(task: model.Task, binding: model.Binding | None = None) -> str:
    """The picture of a task as SVG."""
    from skolem.drawing import draw_task, render_picture

    with _DRAWING:
        return render_picture(draw_task(task, binding), "svg").decode("utf-8")
