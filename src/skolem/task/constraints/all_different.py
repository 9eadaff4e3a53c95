"""Can things that must all differ be given different objects?"""

from collections.abc import Sequence

from skolem.task.constraints.bitsets import lowest, split


def find_cliques(unequal: Sequence[Sequence[int]]) -> list[list[int]]:
    """Sets of three or more members that must all differ, each member in at most one of them.

    >>> find_cliques([[1, 2], [0, 2], [0, 1, 3], [2]])
    [[0, 1, 2]]
    """
    cliques: list[list[int]] = []
    used: set[int] = set()
    partners = [set(others) for others in unequal]
    for member, others in enumerate(unequal):
        if member in used or len(others) < 2:
            continue
        clique = [member]
        for other in others:
            if other not in used and partners[other].issuperset(clique):
                clique.append(other)
        if len(clique) > 2:
            cliques.append(clique)
            used.update(clique)
    return cliques


def has_matching(domains: Sequence[int]) -> bool:
    """True if every set can be given one of its objects, no object twice.

    >>> has_matching([0b011, 0b011, 0b110]), has_matching([0b011, 0b011, 0b011])
    (True, False)
    """
    owner: dict[int, int] = {}
    given = [0] * len(domains)
    taken = 0
    for start in range(len(domains)):
        # Breadth-first over the sets that could give up their object: `wanted` says for which set.
        wanted: dict[int, int] = {}
        seen, queue = 0, [start]
        for place in queue:
            free = domains[place] & ~taken
            if free:
                break
            for bit in split(domains[place] & ~seen):
                wanted[bit] = place
                queue.append(owner[bit])
            seen |= domains[place]
        else:
            return False
        bit = lowest(free)
        taken |= bit
        while bit:
            owner[bit] = place
            given[place], bit = bit, given[place]
            place = wanted.get(bit, start)
    return True
