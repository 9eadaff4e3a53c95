"""Public goal files from the installed packages: read, repaired, converted and planned for."""

from random import Random

import pytest
from tools.alfworld_homes import draw_home, find_file, list_templates, read_domain_text
from tools.behavior_activities import convert_activity, list_activities
from tools.public_goals import Outcome, write_page

from skolem.pddl.reading import read_domain, read_task_text
from skolem.planning.limits import Limits
from skolem.request import Request
from skolem.solve import solve
from skolem.support.errors import InputError, SkolemError
from skolem.task.model import Source, Task

TEMPLATES = list_templates()
FREE_VARIABLE = "look_at_obj_in_light_slice"


def read_home(template: str) -> Task:
    problem = draw_home(30, Random(5), TEMPLATES[template])
    return read_task_text(Source("alfred.pddl", read_domain_text()), Source(template, problem))


def read_activity(name: str, text: str) -> Task:
    activity = convert_activity(name, text)
    return read_task_text(Source("behavior.pddl", activity.domain_text), Source(name, activity.problem_text))


def test_what_is_wrong_with_the_domain_of_alfworld() -> None:
    text = find_file("alfworld/data/alfred.pddl").read_text(encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_domain(Source("alfred.pddl", text))
    messages = [error.message for error in (caught.value, *caught.value.others)]
    assert any("'?l' is of type location, expected receptacle" in message for message in messages)
    assert any("unknown object 'sinkbasintype'" in message for message in messages)
    assert read_domain(Source("alfred.pddl", read_domain_text())).warnings == ()


@pytest.mark.parametrize("template", [name for name in TEMPLATES if name != FREE_VARIABLE])
def test_templates_of_alfworld_are_bound_or_say_what_is_impossible(template: str) -> None:
    found = solve(read_home(template), Request(limits=Limits(60.0, 4000)))
    if "movable_recep" in template:
        assert found.status == "unsolvable"
        assert "no action can make (inReceptacleObject ?o ?mo) true" in found.message
    else:
        assert (found.status, found.valid) == ("solved", True)
        assert found.route != "dnf"


def test_one_template_has_a_free_variable() -> None:
    with pytest.raises(InputError, match="the variable '\\?o' is free"):
        read_home(FREE_VARIABLE)


def test_all_activities_of_behavior_but_three_at_most_are_read() -> None:
    broken = []
    for name, text in list_activities():
        try:
            read_activity(name, text)
        except SkolemError:
            broken.append(name)
    assert len(broken) <= 3


def test_an_activity_is_planned_for() -> None:
    activities = dict(list_activities())
    name = "putting_away_Halloween_decorations/problem0"
    found = solve(read_activity(name, activities[name]), Request(limits=Limits(60.0, 4000)))
    assert (found.status, found.valid) == ("solved", True)
    assert found.route != "dnf"


def test_the_page_lists_what_was_not_solved() -> None:
    page = write_page([Outcome("behavior", "tidy", 9, "unsolved", "end", None, 1.0, "out of time")])
    assert "- behavior `tidy`, 9 objects: unsolved. out of time" in page
