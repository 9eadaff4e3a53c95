"""Domains found beside their problems."""

import shutil
from pathlib import Path

import pytest

from skolem.pddl.beside import find_domain, is_problem
from skolem.pddl.reading import read_task
from skolem.support.errors import InputError

BLOCKS = Path(__file__).parents[2] / "examples" / "blocks"


def copy(target: Path, name: str = "domain.pddl") -> Path:
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(BLOCKS / name, target)
    return target / name


def test_a_domain_in_the_same_folder_or_the_one_above_is_found(tmp_path: Path) -> None:
    domain = copy(tmp_path)
    beside, below = copy(tmp_path, "tower.pddl"), copy(tmp_path / "instances", "tower.pddl")
    assert Path(find_domain(str(beside))) == domain
    assert Path(find_domain(str(below))).resolve() == domain.resolve()
    assert read_task(None, beside).domain.name == "blocks"


def test_a_domain_of_any_name_is_found_and_domain_pddl_is_preferred(tmp_path: Path) -> None:
    problem = copy(tmp_path, "tower.pddl")
    other = copy(tmp_path).rename(tmp_path / "blocksworld.pddl")
    assert Path(find_domain(str(problem))) == other
    shutil.copy(other, tmp_path / "domain.pddl")
    assert Path(find_domain(str(problem))).name == "domain.pddl"


def test_two_domains_or_none_are_told(tmp_path: Path) -> None:
    problem = copy(tmp_path, "tower.pddl")
    with pytest.raises(InputError, match="no file beside this one defines its domain 'blocks'"):
        find_domain(str(problem))
    for name in ("one.pddl", "two.pddl"):
        shutil.copy(BLOCKS / "domain.pddl", tmp_path / name)
    with pytest.raises(InputError, match="several files define the domain 'blocks'"):
        find_domain(str(problem))


def test_a_domain_is_no_problem() -> None:
    assert is_problem(str(BLOCKS / "tower.pddl"))
    assert not is_problem(str(BLOCKS / "domain.pddl"))
    with pytest.raises(InputError, match="this file is a domain"):
        find_domain(str(BLOCKS / "domain.pddl"))
