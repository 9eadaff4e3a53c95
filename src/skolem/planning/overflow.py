"""Costs that the planner cannot add up: it counts to 2^31 - 1, and beyond that says and does anything.

Its searches leave out what costs 2^31 - 1 in all, so that a task whose plans cost that much looks unsolvable, and the
landmark cuts of `lmcut` go on for ever once the cost of a chain of actions is negative.
"""

import re
from heapq import nlargest

from skolem.task.costs import LARGEST_COST

METRIC = "(:metric minimize (total-cost))"
LONGEST_PLAN = 1_000_000
MOST_FACTS = 10_000
"""No task with longer plans is searched, or with more facts by landmark cuts."""

_NUMBER = re.compile(r"(?<![^\s()])\d+(?![^\s()])")
_RANGE = re.compile(r"^begin_variable\n.*\n-1\n(\d+)$", re.MULTILINE)
_OPERATOR_COST = re.compile(r"^(\d+)\nend_operator$", re.MULTILINE)


def can_overflow(domain_text: str, problem_text: str, steps: int) -> bool:
    """Whether so many actions could cost more than the planner can count, judged by the largest number in the texts.

    >>> can_overflow("(increase (total-cost) 3000)", METRIC, 1_000_000)
    True
    >>> can_overflow("(increase (total-cost) 3000)", METRIC, 1_000)
    False
    """
    if METRIC not in problem_text:
        return False
    numbers = (int(number) for text in (domain_text, problem_text) for number in _NUMBER.findall(text))
    return max(numbers, default=0) * steps >= LARGEST_COST


def sum_chain(sas: str) -> int:
    """What a chain of actions can cost at most in which each makes a fact true for the first time.

    All that landmark cuts add up are costs of actions of such chains.
    """
    facts = sum(map(int, _RANGE.findall(sas)))
    return sum(nlargest(facts, map(int, _OPERATOR_COST.findall(sas))))
