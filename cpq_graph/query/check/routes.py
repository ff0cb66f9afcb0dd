"""Ways from one label to another along the schema's relationships, all in one direction and through no label twice."""

from collections.abc import Iterable
from dataclasses import dataclass

from cpq_graph.query.check.schema import GraphSchema, Triple

_HOPS_MAX = 5
_ROUTES_MAX = 60
_TRIES_MAX = 3_000


@dataclass(frozen=True, slots=True)
class Route:
    """The triples in order from left to right; `backwards` when every arrow points from right to left."""

    triples: tuple[Triple, ...]
    backwards: bool

    @property
    def left(self) -> str:
        """The label it begins with, read from left to right."""
        return self.triples[0].end if self.backwards else self.triples[0].start

    @property
    def right(self) -> str:
        """The label it ends with."""
        return self.triples[-1].start if self.backwards else self.triples[-1].end

    def written(self, details: dict[int, str]) -> str:
        """The route as a pattern between two nodes; `details` holds brackets to keep, by hop."""
        pieces: list[str] = []
        for index, triple in enumerate(self.triples):
            if index:
                pieces.append(f"(:{quote(triple.end if self.backwards else triple.start)})")
            bracket = details.get(index, f"[:{quote(triple.type)}]")
            pieces.append(f"<-{bracket}-" if self.backwards else f"-{bracket}->")
        return "".join(pieces)


def quote(name: str) -> str:
    """A name as Cypher takes it: in back-ticks only where it needs them."""
    return name if name.isidentifier() and name.isascii() else f"`{name.replace('`', '``')}`"


def routes(schema: GraphSchema, lefts: Iterable[str], rights: Iterable[str], least: int = 1) -> list[Route]:
    """Every route of at least so many hops from one of `lefts` to one of `rights`, in either direction. A schema in
    which there are too many to look at gives those found first; they are never fewer than two then."""
    starts, ends = frozenset(lefts), frozenset(rights)
    found = [Route(triples, backwards=False) for triples in _forwards(schema, starts, ends)]
    found += [Route(tuple(reversed(triples)), backwards=True) for triples in _forwards(schema, ends, starts)]
    return [route for route in found if len(route.triples) >= least]


def _forwards(schema: GraphSchema, starts: frozenset[str], goals: frozenset[str]) -> list[tuple[Triple, ...]]:
    found: list[tuple[Triple, ...]] = []
    waiting: list[tuple[Triple, ...]] = [()]
    tries = 0
    while waiting and len(found) < _ROUTES_MAX and tries < _TRIES_MAX:
        upcoming: list[tuple[Triple, ...]] = []
        for way in waiting:
            visited = {triple.start for triple in way}
            for label in sorted(starts) if not way else (way[-1].end,):
                for triple in schema.leaving.get(label, ()):
                    tries += 1
                    if triple.end in visited or triple.end == label:
                        continue
                    longer = (*way, triple)
                    if triple.end in goals:
                        found.append(longer)
                    if len(longer) < _HOPS_MAX:
                        upcoming.append(longer)
        waiting = upcoming
    return found


def leads_back(schema: GraphSchema, route: Route) -> bool:
    """Whether the route's own types also lead from its end to its beginning: such relationships link equals, and one
    more of them is another question."""
    types = {triple.type for triple in route.triples}
    if any(triple.start == triple.end and triple.type in types for triple in schema.triples):
        return True
    goal = route.triples[-1 if route.backwards else 0].start
    reached = {route.triples[0 if route.backwards else -1].end}
    waiting = list(reached)
    while waiting:
        for triple in schema.leaving.get(waiting.pop(), ()):
            if triple.type in types and triple.end not in reached:
                reached.add(triple.end)
                waiting.append(triple.end)
    return goal in reached
