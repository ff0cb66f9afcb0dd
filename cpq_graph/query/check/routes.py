"""Ways from one label to another along the schema's relationships, all in one direction and through no label twice."""

from collections.abc import Iterable
from dataclasses import dataclass

from cpq_graph.query.check.schema import GraphSchema, Triple

_HOPS_MAX = 5


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
    """Every route of at least so many hops from one of `lefts` to one of `rights`, in either direction."""
    ends = frozenset(rights)
    starts = sorted(frozenset(lefts))
    found = [Route(triples, backwards=False) for start in starts for triples in _forwards(schema, start, ends, ())]
    found += [
        Route(tuple(reversed(triples)), backwards=True)
        for end in sorted(ends)
        for triples in _forwards(schema, end, frozenset(starts), ())
    ]
    return [route for route in found if len(route.triples) >= least]


def _forwards(
    schema: GraphSchema, label: str, goals: frozenset[str], taken: tuple[Triple, ...]
) -> list[tuple[Triple, ...]]:
    found: list[tuple[Triple, ...]] = []
    visited = {triple.start for triple in taken} | {label}
    for triple in schema.triples:
        if triple.start != label or triple.end in visited:
            continue
        way = (*taken, triple)
        if triple.end in goals:
            found.append(way)
        if len(way) < _HOPS_MAX and len(found) < 50:
            found.extend(_forwards(schema, triple.end, goals, way))
    return found
