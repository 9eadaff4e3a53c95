"""Many tasks from a user's few problems: objects left out, problems joined, other initial states, roles exchanged.

What such a task must look like is read from the problems: along random walks every object is seen in certain places
of certain predicates, its profile. A made task in which an object has a profile that was never seen loses that object
too, or is not taken: a car that is nowhere, a robot in two places. That is a rule of thumb, not a proof: whatever
the task is, its costs are exact.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from random import Random

from skolem.task.attributes import find_attributes
from skolem.task.formulas import And
from skolem.task.model import Goal, Task, make_relation
from skolem.task.query import Relations
from skolem.task.semantics.dynamics import Dynamics
from skolem.task.types import Types, fit

NamedAtom = tuple[str, tuple[str, ...]]
Profile = frozenset[tuple[str, int]]
"""The places of predicates, by number, in which an object stands."""
Signature = tuple[Types, frozenset[str]]
"""What an object always is: its types and the static unary predicates that actions read."""

_WALKS = 3
"""Random walks through every problem by which profiles are seen."""
_WALK = 12
"""The most steps of a random walk."""
_STAYED = 0.4
"""How many tasks begin where a problem does."""
_DOUBLED = (0.0, 0.5, 1.0)
"""How many of the kinds that every problem has one of have two where problems are joined, each as often."""
_ATTEMPTS = 8
_WALKED = 40
"""Problems with more objects are not walked through, which would take long; they are only seen as they are."""


@dataclass(frozen=True)
class World:
    """Objects and what is true of them, by name: a problem without its goal."""

    types: Mapping[str, Types]
    """The types of every object."""
    static: frozenset[NamedAtom]
    changing: frozenset[NamedAtom]
    """What actions change and is true at the start."""
    values: Mapping[tuple[str, ...], int]

    def rename(self, names: Mapping[str, str]) -> "World":
        """The world with objects under other names."""

        def move(atoms: Iterable[NamedAtom]) -> frozenset[NamedAtom]:
            return frozenset((p, tuple(names.get(o, o) for o in args)) for p, args in atoms)

        types = {names.get(o, o): t for o, t in self.types.items()}
        values = {(f, *(names.get(o, o) for o in args)): v for (f, *args), v in self.values.items()}
        return World(types, move(self.static), move(self.changing), values)

    def leave_out(self, objects: set[str]) -> "World":
        """The world without some objects and all that is true of them."""

        def keep(atoms: frozenset[NamedAtom]) -> frozenset[NamedAtom]:
            return frozenset(atom for atom in atoms if objects.isdisjoint(atom[1]))

        types = {o: t for o, t in self.types.items() if o not in objects}
        values = {key: v for key, v in self.values.items() if objects.isdisjoint(key[1:])}
        return World(types, keep(self.static), keep(self.changing), values)


@dataclass
class _Seen:
    """What was seen in the problems and on walks through them."""

    profiles: dict[Signature, set[Profile]] = field(default_factory=dict)
    most: Counter[str] = field(default_factory=Counter)
    """The most atoms of each predicate that were true at once."""
    rare: set[frozenset[str]] = field(default_factory=set)
    """Which of the predicates with at most one atom had one at once."""
    single: set[Signature] = field(default_factory=set)
    """What every problem has exactly one object of."""
    fixed: set[Signature] = field(default_factory=set)
    """What every problem has the same objects of, of which nothing changes: directions, for example."""
    complete: set[str] = field(default_factory=set)
    """Static predicates and functions of two objects that every problem has for all pairs."""


class Variants:
    """Draws tasks like some problems of one domain."""

    def __init__(self, tasks: Sequence[Task], rng: Random) -> None:
        self.task = tasks[0]
        self.domain = domain = tasks[0].domain
        self._attributes = find_attributes(domain)
        self._fluents = domain.predicates.keys() - domain.static - domain.derived
        self._seen = _Seen()
        walked = [[world for _ in range(_WALKS) for world in self._walk_along(rng, task)] for task in tasks]
        for worlds in walked:
            for world in worlds:
                self._observe(world)
        self._seen.rare = {self._find_rare(world) for worlds in walked for world in worlds}
        first, *others = [self._group(world) for world, *_ in walked]
        self._seen.single = {s for s in first if all(len(group.get(s, ())) == 1 for group in (first, *others))}
        self._seen.fixed = {
            s
            for s, names in first.items()
            if all(set(group.get(s, ())) == set(names) for group in others)
            and self._fluents.isdisjoint(predicate for seen in self._seen.profiles[s] for predicate, _ in seen)
        }
        self._seen.complete = set.intersection(*(_list_complete(world) for world, *_ in walked))

    def draw(
        self, rng: Random, tasks: Sequence[Task], most: int, changed: float = 1.0, larger_than: int = 0
    ) -> Task | None:
        """A task made of some of the tasks, of a number of objects; None where no attempt was usable."""
        for _ in range(_ATTEMPTS):
            base = rng.choice(tasks)
            if larger_than:
                world = self._grow(rng, tasks, larger_than, most)
            elif len(base.objects) > most:
                world = self._shrink(rng, self._walk(rng, base), most)
            elif rng.random() >= changed:
                return base
            else:
                world = self._vary(rng, base, tasks, most)
            if world is not None and larger_than < len(world.types) <= most:
                return self.build(world)
        return None

    def _vary(self, rng: Random, base: Task, tasks: Sequence[Task], most: int) -> World | None:
        """A world like that of the base: with objects less or more, in other places, or only in another state."""
        world = self._walk(rng, base)
        match rng.choices(("less", "more", "exchanged", "walked"), (2, 8, 2, 1))[0]:
            case "less":
                return self._shrink(rng, world, most)
            case "more":
                return self._add(rng, world, self._walk(rng, rng.choice(tasks)), most)
            case "exchanged":
                return self._exchange(rng, world)
        return world

    def read(self, task: Task) -> World:
        """A task as a world, in its initial state."""

        def name(predicates: Iterable[str]) -> Iterator[NamedAtom]:
            for predicate in predicates:
                for row in task.init[predicate].tolist():
                    yield predicate, tuple(task.objects[o] for o in row)

        return World(task.types, frozenset(name(self.domain.static)), frozenset(name(self._fluents)), task.values)

    def build(self, world: World) -> Task:
        """A world as a task, without a goal."""
        objects = (*self.domain.constants, *sorted(world.types.keys() - self.domain.constants.keys()))
        index = {name: i for i, name in enumerate(objects)}
        rows: dict[str, list[tuple[int, ...]]] = {name: [] for name in self.domain.predicates}
        for predicate, args in sorted(world.static | world.changing):
            rows[predicate].append(tuple(index[o] for o in args))
        init: Relations = {
            **{
                f"type:{name}": make_relation(
                    [(i,) for o, i in index.items() if fit(self.domain.supertypes, world.types[o], (name,))], 1
                )
                for name in self.domain.supertypes
            },
            **{name: make_relation(rows[name], len(types)) for name, types in self.domain.predicates.items()},
        }
        goal = Goal(And(()))
        types = {o: world.types[o] for o in objects}
        task = replace(self.task, name="variant", objects=objects, types=types, init=init, goal=goal, spelling={})
        task = replace(task, values=dict(world.values))
        if self.domain.derived:
            dynamics = Dynamics(task)
            task = replace(task, init={**init, **dynamics.describe(dynamics.start)})
        return task

    def _walk(self, rng: Random, task: Task) -> World:
        """The world after a random walk; often it is short, because walks may end where little can be done."""
        if rng.random() < _STAYED:
            return self.read(task)
        *_, last = self._walk_along(rng, task)
        return last

    def _walk_along(self, rng: Random, task: Task) -> Iterator[World]:
        """The worlds of a random walk."""
        world, dynamics = self.read(task), Dynamics(task)
        state = dynamics.start
        yield world
        for _ in range(rng.randint(0, _WALK) if len(task.objects) <= _WALKED else 0):
            after = [s for _, s in dynamics.list_steps(state)]
            if not after:
                return
            state = rng.choice(after)
            named = frozenset((p, tuple(task.objects[o] for o in row)) for p, row in state)
            yield replace(world, changing=named)

    def _observe(self, world: World) -> None:
        signatures, profiles = self._sign(world), self._profile(world)
        for obj, signature in signatures.items():
            self._seen.profiles.setdefault(signature, set()).add(profiles[obj])
        for predicate, count in Counter(p for p, _ in world.changing).items():
            self._seen.most[predicate] = max(self._seen.most[predicate], count)

    def _sign(self, world: World) -> dict[str, Signature]:
        kinds: dict[str, set[str]] = {o: set() for o in world.types}
        for predicate, args in world.static:
            if len(args) == 1 and predicate not in self._attributes:
                kinds[args[0]].add(predicate)
        named = self.domain.constants
        return {o: (types, frozenset(kinds[o] | ({o} & named.keys()))) for o, types in world.types.items()}

    def _group(self, world: World) -> dict[Signature, list[str]]:
        groups: dict[Signature, list[str]] = {}
        for obj, signature in self._sign(world).items():
            groups.setdefault(signature, []).append(obj)
        return groups

    def _profile(self, world: World) -> dict[str, Profile]:
        places: dict[str, set[tuple[str, int]]] = {o: set() for o in world.types}
        for predicate, args in world.static | world.changing:
            if predicate not in self._attributes:
                for place, obj in enumerate(args):
                    places[obj].add((predicate, place))
        return {o: frozenset(found) for o, found in places.items()}

    def _find_rare(self, world: World) -> frozenset[str]:
        return frozenset(p for p, _ in world.changing if self._seen.most[p] <= 1)

    def _mend(self, world: World) -> World | None:
        """The world without the objects of profiles that were never seen; None where it makes no sense then."""
        while True:
            signatures, profiles = self._sign(world), self._profile(world)
            odd = {o for o, s in signatures.items() if profiles[o] not in self._seen.profiles.get(s, ())}
            if odd & self.domain.constants.keys():
                return None
            if not odd:
                break
            world = world.leave_out(odd)
        present = set(signatures.values())
        sound = self._find_rare(world) in self._seen.rare and self._seen.single <= present and len(world.types) > 1
        return world if sound else None

    def _shrink(self, rng: Random, world: World, most: int) -> World | None:
        """The world without some of its objects, so that there are not too many."""
        signatures = self._sign(world)
        # Without those that something is true of which can be true only once, little could be done.
        needed = {
            o for p, args in world.changing if self._seen.most[p] <= 1 for o in args
        } | self.domain.constants.keys()
        spare = [o for o in world.types if o not in needed and signatures[o] not in self._seen.single]
        surplus = max(1, len(world.types) - most)
        if surplus > len(spare):
            return None
        return self._mend(world.leave_out(set(rng.sample(spare, rng.randint(surplus, max(surplus, len(spare) // 2))))))

    def _exchange(self, rng: Random, world: World) -> World | None:
        """The world with objects of one kind in each other's places."""
        names: dict[str, str] = {}
        for group in self._group(world).values():
            if rng.random() < 0.7:
                names |= dict(zip(group, rng.sample(group, len(group)), strict=True))
        return self._mend(replace(world, changing=world.rename(names).changing))

    def _grow(self, rng: Random, tasks: Sequence[Task], larger_than: int, most: int) -> World | None:
        """Problems joined until there are more objects than that."""
        world: World | None = self._walk(rng, rng.choice(tasks))
        for _ in range(_ATTEMPTS):
            if world is None or len(world.types) > larger_than:
                return world
            world = self._add(rng, world, self._walk(rng, rng.choice(tasks)), most)
        return world

    def _add(self, rng: Random, world: World, other: World, most: int) -> World | None:
        """Two worlds as one.

        What there is one of in every problem stays one in some of them, and is doubled in others: problems that are
        asked about later may have more. What every problem has the same of stays the same, and some objects are made
        the same.
        """
        own, added = self._sign(world), self._sign(other)
        share = rng.choice(_DOUBLED)
        doubled: set[str] = set()
        same = {o: o for o in other.types if o in self.domain.constants}
        for obj, signature in added.items():
            if obj in same:
                continue
            if signature in self._seen.fixed and own.get(obj) == signature:
                same[obj] = obj
            elif signature in self._seen.single and rng.random() < share:
                doubled.add(obj)
            elif signature in self._seen.single:
                same[obj] = next(o for o, s in own.items() if s == signature)
        joined = {o for p, args in other.static if len(args) > 1 and p not in self._attributes for o in args}
        joined |= {o for _, *args in other.values if len(args) > 1 for o in args}
        joined -= same.keys() | doubled
        for obj in rng.sample(sorted(joined), min(len(joined), rng.randint(0, 2))):
            alike = [o for o, s in own.items() if s == added[obj] and o not in same.values()]
            if alike:
                same[obj] = rng.choice(alike)
        surplus = len(world.types) + len(other.types) - len(same) - most
        fresh = [o for o in other.types if o not in same and o not in doubled]
        if surplus > 0:
            if surplus >= len(fresh):
                return None
            other = other.leave_out(set(rng.sample(fresh, surplus)))
        # What is said of objects that are one in both, or can be true only once, is taken from the first world.
        kept = frozenset(
            (p, args)
            for p, args in other.changing
            if (self._seen.most[p] > 1 or doubled & set(args))
            and not same.keys() & set(args) - self.domain.constants.keys()
        )
        names = {**_name_apart(world.types, [o for o in other.types if o not in same]), **same}
        other = replace(other, changing=kept).rename(names)
        both = World(
            types={**other.types, **world.types},
            static=world.static | other.static,
            changing=world.changing | other.changing,
            values={**other.values, **world.values},
        )
        return self._mend(self._complete(rng, both))

    def _complete(self, rng: Random, world: World) -> World:
        """The world with all pairs of what every problem has all pairs of."""
        static, values = set(world.static), dict(world.values)
        for name in sorted(self._seen.complete):
            pairs = [args for p, args in world.static if p == name and len(args) == 2]
            known = [(key[1:], value) for key, value in world.values.items() if key[0] == name]
            objects = sorted({o for pair in [*pairs, *(args for args, _ in known)] for o in pair})
            for pair in permutations(objects, 2):
                if pairs:
                    static.add((name, pair))
                elif (name, *pair) not in values:
                    values[name, *pair] = values.get((name, *pair[::-1]), rng.choice(known)[1])
        return replace(world, static=frozenset(static), values=values)


def _list_complete(world: World) -> set[str]:
    """The static predicates and functions of two objects that hold for, or have a value for, all pairs of theirs."""
    pairs: dict[str, set[tuple[str, ...]]] = {}
    for name, args in [*world.static, *((f, tuple(args)) for f, *args in world.values)]:
        if len(args) == 2:
            pairs.setdefault(name, set()).add(args)
    return {name for name, found in pairs.items() if set(permutations({o for p in found for o in p}, 2)) <= found}


def _name_apart(taken: Iterable[str], names: Sequence[str]) -> dict[str, str]:
    """New names, unlike those that are taken and each other."""
    used, apart = set(taken), {}
    for name in names:
        number = 2
        new = name
        while new in used:
            new, number = f"{name}-{number}", number + 1
        used.add(new)
        apart[name] = new
    return apart
