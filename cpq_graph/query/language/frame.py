"""What the question asks: what is counted, measured, ranked, shown, shared out, and by what.

Nothing arrives; what leaves is `Frame`, the places that `placing` fills from items and `planning` reads.
"""

from dataclasses import dataclass, field
from typing import Literal

from cpq_graph.query.language.items import Item
from cpq_graph.query.language.lexicon import Language
from cpq_graph.query.language.offers import COST, PRICE, SUBPRICE
from cpq_graph.query.language.role_phrases import Verb
from cpq_graph.query.plan import Aggregate

RankKind = Literal["popular", "count", "measure", "row"]
NUMERIC = (PRICE, SUBPRICE, COST)


@dataclass(slots=True)
class Rank:
    """How rows are ordered, and how many are kept (None: all)."""

    kind: RankKind
    descending: bool
    count: int | None
    # What is counted or measured; for "row" the concept (latest, expensive).
    by: Item | None = None
    # Whether the question says how many.
    explicit: bool = False
    aggregate: Aggregate = Aggregate.COUNT
    # Not said yet what it ranks by ("top 3 senders"); `size`: what was said could mean several ("biggest customers").
    open: bool = False
    size: bool = False


@dataclass(slots=True)
class Measured:
    """An aggregate of a field, or of the count of an entity."""

    aggregate: Aggregate
    of: Item


@dataclass(slots=True)
class Frame:
    """The places of a question."""

    items: list[Item]
    language: Language
    counts: list[Item] = field(default_factory=list)
    measures: list[Measured] = field(default_factory=list)
    shows: list[Item] = field(default_factory=list)
    keys: list[Item] = field(default_factory=list)
    each: bool = False
    rank: Rank | None = None
    conditions: list[Item] = field(default_factory=list)
    quantities: list[Item] = field(default_factory=list)
    verbs: list[tuple[int, Verb]] = field(default_factory=list)
    context: list[Item] = field(default_factory=list)
    share_at: int | None = None
    also_count: bool = False
    # An aggregate said apart from what it is of: "on average".
    floating: Aggregate | None = None
    who: Item | None = None
    price_asked: bool = False
    compared: bool = False
    used: set[int] = field(default_factory=set)
