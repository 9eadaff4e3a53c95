"""The domain of a problem whose domain was not named: a file beside it that defines it."""

import re
from pathlib import Path

from skolem.pddl.sections import STANDARD_INPUT, read_source
from skolem.support.errors import InputError, Place, SkolemError

_NAMED = re.compile(r"\(\s*:domain\s+([^\s()]+)\s*\)", re.IGNORECASE)
_PROBLEM = re.compile(r"\(\s*define\s*\(\s*problem\s", re.IGNORECASE)
_DOMAIN = re.compile(r"\(\s*define\s*\(\s*domain\s", re.IGNORECASE)
_COMMENT = re.compile(r";[^\n]*")


def find_domain(problem: str) -> str:
    """The one file in the problem's folder, or else in the folder above, that defines the problem's domain."""
    text = _COMMENT.sub("", read_source(problem).text)
    named = _NAMED.search(text)
    if named is None:
        what = "is a domain" if _DOMAIN.search(text) else "names no domain"
        raise InputError(f"this file {what}, expected a problem, or a domain and a problem", Place(problem))
    defined = re.compile(rf"\(\s*define\s*\(\s*domain\s+{re.escape(named[1])}\s*\)", re.IGNORECASE)
    folder = Path() if problem == STANDARD_INPUT else Path(problem).parent
    for place in (folder, folder / ".."):
        found = [file for file in sorted(place.glob("*.pddl")) if defined.search(_read(file))]
        usual = [file for file in found if file.name == "domain.pddl"] or found
        if len(usual) == 1:
            return str(usual[0])
        if usual:
            names = ", ".join(map(str, usual))
            raise InputError(f"several files define the domain '{named[1]}': name one of {names}", Place(problem))
    message = f"no file beside this one defines its domain '{named[1]}', expected the domain before the problem"
    raise InputError(message, Place(problem))


def is_problem(path: str) -> bool:
    """Whether a file defines a problem and no domain; what is wrong with it is for others to say."""
    text = _read(path)
    return _PROBLEM.search(text) is not None and _DOMAIN.search(text) is None


def _read(file: str | Path) -> str:
    """The text of a file without comments; nothing if it cannot be read, for it may be anything."""
    try:
        return _COMMENT.sub("", read_source(file).text)
    except SkolemError:
        return ""
