"""Words that were meant most likely."""

from collections.abc import Iterable

LEAST_LIKENESS = 0.7
"""How like a guess must be to the word, from 0 to 1: a bad guess is worse than none."""


def find_similar(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like a word, None if none is like it.

    >>> find_similar("plna", ["plan", "ground"]), find_similar("zebra", ["plan", "ground"])
    ('plan', None)
    """
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), 1, LEAST_LIKENESS)), None)


def hint_similar(word: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown word: a guess at the one that was meant, or nothing."""
    found = find_similar(word, known)
    return "" if found is None else f", did you mean '{found}'?"
