"""Every text is parsed once, whatever is done with the task afterwards."""

import re

import pytest
from tests.planning.pddl_examples import CIRCUIT, CIRCUIT_INIT, read

from skolem.pddl import sexpr
from skolem.pddl.writing import write_grounded
from skolem.planning.exact import ROUTES
from skolem.request import Request
from skolem.solve import solve


class CountingTokens:
    """The pattern that splits texts into tokens, and the texts that it was used on."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self.texts: list[str] = []

    def finditer(self, text: str) -> object:
        self.texts.append(text)
        return self.pattern.finditer(text)


@pytest.fixture
def tokens(monkeypatch: pytest.MonkeyPatch) -> CountingTokens:
    counting = CountingTokens(sexpr._TOKEN)
    monkeypatch.setattr(sexpr, "_TOKEN", counting)
    return counting


@pytest.mark.parametrize("grounder", ["auto", "random", *ROUTES])
def test_one_plan_parses_each_text_once(tokens: CountingTokens, grounder: str) -> None:
    # Domains that were read before are remembered by their text.
    domain = CIRCUIT + f"; for {grounder}"
    goal = "(exists (?x ?y) (and (lamp ?x) (closed ?x) (closed ?y) (fuse ?y)))"
    task = read(domain, "s a b c d", CIRCUIT_INIT, goal)
    solution = solve(task, Request(grounder=grounder))
    write_grounded(task, {"?x": "b", "?y": "a"})
    assert solution.plan is not None or grounder == "random"
    assert tokens.texts == [domain, task.source.text]
