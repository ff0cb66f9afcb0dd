"""What the question asks: what is counted, measured, ranked, shown, shared out, and by what.

Arrives: items with conditions and groups. Leaves: a `Frame`, in which every item of meaning has its place. An item that
finds none is a Problem: a word that the plan does not account for.
"""

from dataclasses import dataclass, field, replace
from typing import Literal

from cpq_graph.query.language.items import Condition, Fields, Group, Item, Number, Quantity, Word
from cpq_graph.query.language.lexicon import Language
from cpq_graph.query.language.morphology import Case
from cpq_graph.query.language.offers import COST, OFFER_ID, PRICE, SUBPRICE
from cpq_graph.query.language.parties import Verb, verb_of
from cpq_graph.query.language.result import Problem
from cpq_graph.query.plan import Aggregate, FeatureField, Grain, PropertyField

RankKind = Literal["popular", "count", "measure", "row"]
_SILENT = {
    "of", "in", "cop", "have", "contain", "configured", "rel", "comma", "and", "ask", "as", "atleastone", "all", "for", "stop",
    "filler", "whose", "different", "among", "agg.sum", "dated", "rel.received", "rel.sent", "compare", "dash",
}  # fmt: skip
_SUPERLATIVES = {
    "popular",
    "unpopular",
    "most",
    "fewest",
    "highest",
    "lowest",
    "expensive",
    "cheap",
    "latest",
    "earliest",
    "top",
}
_BEFORE_HEAD = {"of", "ask", "different", "in", "value", "cop", "all", "for"}
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


@dataclass(slots=True)
class Measured:
    """An aggregate of a field, or of the count of an entity per another."""

    aggregate: Aggregate
    of: Item
    per: Item | None = None


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


def frame(items: list[Item], language: Language, *, compared: bool = False) -> Frame:
    """The frame of a question. Raises Problem for what has no place."""
    f = Frame(items, language, compared=compared)
    for i, item in enumerate(items):
        meaning = item.means
        if isinstance(meaning, Condition):
            f.conditions.append(item)
        elif isinstance(meaning, Group):
            f.keys += [k for k in meaning.keys if k not in f.keys]
            f.each = f.each or meaning.each
        elif isinstance(meaning, Quantity):
            f.quantities.append(item)
    for i, item in enumerate(items):
        if i not in f.used:
            _place(f, i, item)
    _numbers_left(f)
    leftover = [it.text for i, it in enumerate(items) if i not in f.used and not _silent(it)]
    if leftover:
        raise Problem("not_placed", words=tuple(leftover))
    return f


def _numbers_left(f: Frame) -> None:
    """ "Which three combinations were most common", "ketkä 3": the one number left says how many a ranking keeps."""
    left = [
        (i, it.means) for i, it in enumerate(f.items)
        if i not in f.used and isinstance(it.means, Number) and it.means.unit is None and it.means.value == int(it.means.value) >= 1
    ]  # fmt: skip
    if f.rank is not None and not f.rank.explicit and len(left) == 1:
        i, number = left[0]
        f.used.add(i)
        f.rank.count, f.rank.explicit = int(number.value), True


def _silent(item: Item) -> bool:
    return isinstance(item.means, Condition | Group | Quantity) or item.concept in _SILENT


def _place(f: Frame, i: int, item: Item) -> None:
    concept = item.concept
    if concept == "count.do":
        f.used.add(i)
        head = _head(f, i + 1)
        if head is not None and f.items[head].concept.startswith("entity."):
            f.counts.append(_take(f, head))
    elif concept in {"count", "howmuch"}:
        _count(f, i)
    elif concept.startswith("agg.") and concept != "agg.sum":
        _aggregate(f, i, Aggregate(concept[4:]))
    elif concept == "agg.sum":
        head = _head(f, i + 1)
        if head is not None and isinstance(f.items[head].means, Fields) and not _is_price(f.items[head]):
            _aggregate(f, i, Aggregate.SUM)
    elif concept in _SUPERLATIVES:
        _superlative(f, i, concept)
    elif concept.startswith("adj.") and concept.endswith((".max", ".min")):
        _extreme(f, i, concept)
    elif concept == "share":
        f.share_at = i
        f.used.add(i)
        head = _head(f, i + 1, conditions=False)
        if head is not None and isinstance(f.items[head].means, Fields) and not _is_price(f.items[head]):
            f.keys.append(f.items[head])
            f.used.add(head)
    elif verb := verb_of(item):
        f.verbs.append((i, verb))
        f.used.add(i)
    elif concept in {"who", "who.received"}:
        f.who = item
        f.used.add(i)
    elif concept == "ask.do":
        before = f.items[i - 1].concept if i else "stop"
        if before in {"stop", "comma", "and"}:
            f.used.add(i)
    elif concept == "belong":
        if any(isinstance(it.means, Condition) and it.means.axis == "person" for it in f.items):
            f.used.add(i)
    elif concept == "best":
        number = number_near(f, i)
        if number and f.rank and not f.rank.explicit:
            f.used.add(i)
            f.rank.count, f.rank.explicit = number, True
    elif concept == "each":
        if i and (f.items[i - 1].concept in {"count", "share"} or f.items[i - 1] in f.shows):
            f.used.add(i)
    elif concept == "value":
        if any(isinstance(it.means, Fields) for it in (*f.items[i + 1 : i + 3], *f.items[max(i - 1, 0) : i])):
            f.used.add(i)
    elif concept == "prop.id" and any(it.concept == "entity.offer" for it in f.items):
        f.used.add(i)
        f.shows.append(replace(item, means=Fields((OFFER_ID,), Grain.OFFER)))
    elif concept == "verb.cost":
        f.price_asked = True
        f.used.add(i)
    elif concept == "compare":
        f.compared = True
    elif concept == "by":
        _ranked_by(f, i)
    elif concept.startswith(("entity.", "rolenoun.")) or isinstance(item.means, Fields):
        _noun(f, i, item)
    elif (concept == "from" and i >= len(f.items) - 2 and any(k.concept.startswith("rolenoun.") for k in f.items)) or (
        concept in {"to", "from"} and (i == len(f.items) - 1 or i == 0 or f.items[i + 1].concept in {"ask", "who"})
    ):
        f.used.add(i)


def _extreme(f: Frame, i: int, concept: str) -> None:
    """ "The longest Mode P", "shortest length": the largest or smallest number of the feature that the word implies."""
    feature = next((o for o in f.items[i].others if isinstance(o, Fields)), None)
    if feature is None or f.measures or f.rank:
        raise Problem("not_placed", words=(f.items[i].text,))
    f.used.add(i)
    head = _head(f, i + 1)
    if head is not None:
        named = f.items[head]
        if isinstance(named.means, Fields) and named.means != feature:
            raise Problem("not_placed", words=(f.items[i].text,))
        if not isinstance(named.means, Fields) and named.concept != "entity.product":
            raise Problem("not_placed", words=(f.items[i].text,))
        _take(f, head)
    aggregate = Aggregate.MAXIMUM if concept.endswith(".max") else Aggregate.MINIMUM
    f.measures.append(Measured(aggregate, replace(f.items[i], means=feature)))


def _is_price(item: Item) -> bool:
    return isinstance(item.means, Fields) and any(
        x in NUMERIC for x in item.means.fields if isinstance(x, PropertyField)
    )


def is_noun(item: Item) -> bool:
    """Whether it names things or properties of things."""
    return isinstance(item.means, Fields) or item.concept.startswith(("entity.", "rolenoun."))


def _head(f: Frame, i: int, *, conditions: bool = True) -> int | None:
    """The noun that a marker in front of `i` is said of."""
    while i < len(f.items):
        item = f.items[i]
        if i in f.used and not (conditions and item.concept in {"count"}):
            return None
        if is_noun(item) and not _possessor(f, i):
            return i
        if is_noun(item):
            i += 1
            continue
        if (
            conditions
            and verb_of(item)
            and (f.language == "fi" or (f.items[i + 1 : i + 2] and is_noun(f.items[i + 1])))
        ):
            i += 1
            continue
        if item.concept in _BEFORE_HEAD or (conditions and isinstance(item.means, Condition)):
            i += 1
            continue
        return None
    return None


def _possessor(f: Frame, i: int) -> bool:
    """Whether a noun only says whose the next one is: "SNEP-valaisimen pituus", "luminaire length", "offer price"."""
    item = f.items[i]
    if item.concept not in {"entity.offer", "entity.product", "entity.family"}:
        return False
    k = i + 1
    while k < len(f.items) and isinstance(f.items[k].means, Condition):
        k += 1
    if k >= len(f.items):
        return False
    if f.language == "fi" and item.case is not Case.GENITIVE:
        return False
    if f.language == "en" and (k > i + 1 or f.items[i].text.lower().endswith("s")):
        return False
    return isinstance(f.items[k].means, Fields) or (
        f.language == "fi" and f.items[k].concept in _SUPERLATIVES | {"agg.average", "agg.median"}
    )


def _genitive_before(f: Frame, i: int) -> int | None:
    """In Finnish, the noun in the genitive right before a marker: "tarjousten lukumäärä"."""
    if f.language == "en":
        counted = (
            i > 0 and f.items[i - 1].concept in {"entity.offer", "entity.product"} and f.items[i].concept == "count"
        )
        return i - 1 if counted and (f.items[i - 1] in f.shows or f.items[i - 1] in f.context) else None
    if i == 0 or (i - 1 in f.used and f.items[i - 1] not in f.shows and f.items[i - 1] not in f.context):
        return None
    before = f.items[i - 1]
    return i - 1 if is_noun(before) and before.case in {Case.GENITIVE, Case.PARTITIVE} and f.language == "fi" else None


def _take(f: Frame, i: int) -> Item:
    item = f.items[i]
    f.used.add(i)
    if item in f.shows:
        f.shows.remove(item)
    if item in f.context:
        f.context.remove(item)
    return item


def _count(f: Frame, i: int) -> None:
    f.used.add(i)
    if f.items[i].concept == "howmuch":
        f.price_asked = True
    before = _genitive_before(f, i)
    head = before if before is not None else _head(f, i + 1)
    if head is None:
        if f.items[i].concept == "howmuch":
            return
        previous = _take_listed_count(f, i) or _shared_head(f, i)
        f.also_count = f.also_count or not previous
        return
    if _is_price(f.items[head]):
        if f.items[i].concept == "howmuch":
            return
        raise Problem("not_placed", words=(f.items[i].text,))
    priced = any(it.concept == "verb.cost" or _is_price(it) for it in f.items)
    if f.items[i].concept == "howmuch" and (priced or f.items[head].concept not in {"entity.product", "entity.offer"}):
        return
    f.price_asked = f.price_asked and f.items[i].concept != "howmuch"
    f.counts.append(_take(f, head))
    # "number of offers and luminaires"
    after = head + 1
    while f.items[after : after + 1] and f.items[after].concept in {"and", "comma"}:
        nxt = after + 1
        if (
            nxt < len(f.items)
            and f.items[nxt].concept.startswith("entity.")
            and before is None
            and (nxt + 1 == len(f.items) or f.items[nxt + 1].concept not in {"count"})
        ):
            f.counts.append(_take(f, nxt))
            after = nxt + 1
        else:
            break


def _shared_head(f: Frame, i: int) -> bool:
    """ "Count and total price of the offers": the offers are counted too."""
    k = i + 1
    while k < len(f.items) and (
        f.items[k].concept in {"and", "comma", "of", "agg.sum", "agg.average"} or _is_price(f.items[k])
    ):
        k += 1
    if k > i + 2 and k < len(f.items) and f.items[k].concept == "entity.offer" and f.items[k - 1].concept == "of":
        f.counts.append(f.items[k])
        f.used.add(k)
        return True
    return False


def _take_listed_count(f: Frame, i: int) -> bool:
    """ "How many Mode P were sold": products, when what follows describes products."""
    following = [it for it in f.items[i + 1 :] if isinstance(it.means, Condition) and it.means.grain.value == "product"]
    if following and f.items[i + 1 : i + 2] == following[:1]:
        f.counts.append(Item(f.items[i].end, f.items[i].end, "", Word("entity.product")))
        return True
    return False


def _aggregate(f: Frame, i: int, aggregate: Aggregate) -> None:
    f.used.add(i)
    at = i + 1
    # "minimum, maximum and average price": all of the one thing named behind them.
    others: list[Aggregate] = []
    while True:
        link = at
        while f.items[link : link + 1] and f.items[link].concept in {"comma", "and"}:
            link += 1
        following = f.items[link].concept if link < len(f.items) else ""
        if link == at or not following.startswith("agg.") or link in f.used:
            break
        others.append(Aggregate(following[4:]))
        f.used.add(link)
        at = link + 1
    if others:
        head = _head(f, at)
        if head is not None and _possessor(f, head):
            head = head + 1
        if head is None or not isinstance(f.items[head].means, Fields):
            raise Problem("aggregate_of_what", words=(f.items[i].text,))
        item = _take(f, head)
        f.measures += [Measured(a, item) for a in (aggregate, *others)]
        return
    while f.items[at : at + 1] and f.items[at].concept in {"of", "agg.sum", "different", "cop"}:
        at += 1
    if f.items[at : at + 1] and f.items[at].concept == "count":
        # "average number of luminaires per offer"
        f.used.add(at)
        head = _genitive_before(f, i)
        head = head if head is not None else _genitive_before(f, at)
        head = head if head is not None else _head(f, at + 1)
        if head is None:
            raise Problem("not_placed", words=(f.items[i].text,))
        f.measures.append(Measured(aggregate, _take(f, head)))
        return
    before = _genitive_before(f, i)
    head = _head(f, i + 1)
    if head is not None and f.items[head].concept.startswith("entity.") and f.items[head + 1 : head + 2]:
        after = f.items[head + 1]
        if after.concept == "count":
            f.used.add(head + 1)
            f.measures.append(Measured(aggregate, _take(f, head)))
            return
        if isinstance(after.means, Fields):
            f.used.add(head)
            head += 1
    if (head is None or not isinstance(f.items[head].means, Fields)) and before is not None:
        head = before
    if (head is not None and f.items[head].concept.startswith("entity.")) or head is None:
        # "On average, how many …", "… keskimäärin": said of what is counted or shown elsewhere.
        if f.floating is not None:
            raise Problem("aggregate_of_what", words=(f.items[i].text,))
        f.floating = aggregate
        return
    f.measures.append(Measured(aggregate, _take(f, head)))
    # "average length and power"
    while (
        f.items[head + 2 : head + 3] and f.items[head + 1].concept in {"and", "comma"} and _countable(f.items[head + 2])
    ):
        head += 2
        f.measures.append(Measured(aggregate, _take(f, head)))


def _countable(item: Item) -> bool:
    """Whether an aggregate can be of it: a price or cost, a feature."""
    return _is_price(item) or (
        isinstance(item.means, Fields)
        and not item.means.combined
        and all(isinstance(x, FeatureField) for x in item.means.fields)
    )


def number_near(f: Frame, i: int) -> int | None:
    """The number that says how many a superlative keeps, before or behind it."""
    for k in (i - 1, i + 1):
        if 0 <= k < len(f.items) and k not in f.used:
            meaning = f.items[k].means
            if isinstance(meaning, Number) and meaning.unit is None and meaning.value == int(meaning.value) >= 1:
                f.used.add(k)
                return int(meaning.value)
    return None


def _superlative(f: Frame, i: int, concept: str) -> None:
    f.used.add(i)
    count = number_near(f, i)
    if concept == "top" and count is not None and f.rank is not None and not f.rank.explicit:
        # "… Top 2." behind the ranking itself.
        f.rank.count, f.rank.explicit = count, True
        return
    if concept == "top":
        _top(f, i, count)
        return
    at = i + 1
    while f.items[at : at + 1] and (at in f.used or f.items[at].concept == "top"):
        f.used.add(at)
        at += 1
    descending = concept not in {"unpopular", "fewest", "lowest", "cheap", "earliest"}
    if concept in {"popular", "unpopular"}:
        head = _head(f, at)
        if head is not None and f.items[head].concept in {"entity.product", "entity.offer"} and f.shows:
            head = None
        if head is not None:
            f.keys.append(_take(f, head))
        elif f.shows:
            f.keys.append(f.shows.pop())
        if f.keys and f.keys[-1].concept in {"entity.product", "entity.offer"}:
            raise Problem("superlative_of_what", words=(f.items[i].text,))
        f.rank = _once(
            f, Rank("popular", descending, count if count else _how_many(f, head), explicit=count is not None)
        )
    elif concept in {"most", "fewest"}:
        head = _head(f, at)
        if head is not None and isinstance(f.items[head].means, Fields) and not _is_price(f.items[head]):
            raise Problem("not_placed", words=(f.items[i].text,))
        behind = f.items[at].means if at < len(f.items) else None
        if head is None and isinstance(behind, Condition) and behind.grain.value == "product":
            by = Item(f.items[i].end, f.items[i].end, "", Word("entity.product"))
            f.rank = _once(f, Rank("count", descending, count or _asked_number(f), by, count is not None))
            return
        featured = len(f.shows) == 1 and (isinstance(f.shows[0].means, Fields) or f.shows[0].concept == "entity.family")
        if head is None and featured and not _is_price(f.shows[0]):
            # "Which length was ordered most"
            f.keys.append(f.shows.pop())
            f.rank = _once(f, Rank("popular", descending, count or _how_many(f, None), explicit=count is not None))
            return
        if head is None:
            raise Problem("most_of_what", words=(f.items[i].text,))
        by = _take(f, head)
        explicit = count is not None
        if count is None:
            count = _asked_number(f)
        kind: RankKind = "measure" if _is_price(by) else "count"
        aggregate = Aggregate.SUM if _is_price(by) else Aggregate.COUNT
        f.rank = _once(f, Rank(kind, descending, count, by, explicit, aggregate))
    elif concept in {"highest", "lowest"}:
        _highest(f, i, at, count, descending)
    else:
        head = _head(f, at)
        if head is None or f.items[head].concept != "entity.offer":
            raise Problem("superlative_of_what", words=(f.items[i].text,))
        f.shows.append(_take(f, head))
        f.rank = _once(f, Rank("row", descending, count or 1, f.items[i], count is not None))


def _once(f: Frame, rank: Rank) -> Rank:
    if f.rank is not None:
        raise Problem("two_rankings")
    return rank


def _top(f: Frame, i: int, count: int | None) -> None:
    head = _head(f, i + 1 + (count is not None))
    if head is None or count is None:
        raise Problem("top_of_what", words=(f.items[i].text,))
    item = _take(f, head)
    following = f.items[head + 1 :]
    ranked = any(it.concept in {"by", "most", "highest", "popular"} for it in following)
    if isinstance(item.means, Fields) or item.concept == "entity.family":
        f.keys.append(item)
        f.rank = Rank("popular", True, count, explicit=True)
    elif ranked:
        f.shows.append(item)
        f.rank = Rank("popular", True, count, explicit=True)
    else:
        raise Problem("top_by_what", words=(f.items[i].text,))


def _ranked_by(f: Frame, i: int) -> None:
    """ "by number of offers", "by total price": what a top list is ordered by."""
    if i and verb_of(f.items[i - 1]) and (i + 1 == len(f.items) or f.items[i + 1].concept in {"who", "stop", "ask"}):
        f.used.add(i)
        return
    if i + 1 < len(f.items) and f.items[i + 1].concept == "who":
        f.used.add(i)
        return
    if f.rank is None or i + 1 >= len(f.items):
        return
    following = f.items[i + 1]
    if following.concept == "count":
        head = _head(f, i + 2)
        if head is not None:
            f.used |= {i, i + 1}
            f.rank = Rank("count", True, f.rank.count, _take(f, head), f.rank.explicit)
    elif _is_price(following):
        f.used.add(i)
        f.rank = Rank("measure", True, f.rank.count, _take(f, i + 1), f.rank.explicit, Aggregate.SUM)


def _highest(f: Frame, i: int, at: int, count: int | None, descending: bool) -> None:
    aggregate: Aggregate | None = None
    while f.items[at : at + 1] and f.items[at].concept.startswith("agg."):
        aggregate = Aggregate(f.items[at].concept[4:])
        f.used.add(at)
        at += 1
    head = _head(f, at)
    if head is None or not isinstance(f.items[head].means, Fields):
        if head is not None and f.items[head].concept == "entity.offer":
            f.shows.append(_take(f, head))
            plural = _plural(f.items[head], f.language)
            f.rank = _once(
                f, Rank("row", descending, count or (None if plural else 1) or 1, Item(0, 0, "", Word("expensive")))
            )
            return
        raise Problem("superlative_of_what", words=(f.items[i].text,))
    by = _take(f, head)
    if f.shows or f.keys or f.who:
        if aggregate is None and _is_price(by):
            aggregate = Aggregate.SUM
        only_offers = bool(f.shows) and all(s.concept == "entity.offer" for s in f.shows) and not f.keys
        if only_offers:
            f.rank = _once(f, Rank("row", descending, count or _asked_number(f) or 1, by))
            return
        if aggregate is None:
            raise Problem("superlative_of_what", words=(f.items[i].text,))
        f.rank = _once(f, Rank("measure", descending, count or _asked_number(f), by, count is not None, aggregate))
        return
    if count is not None:
        raise Problem("superlative_of_what", words=(f.items[i].text,))
    f.measures.append(Measured(Aggregate.MAXIMUM if descending else Aggregate.MINIMUM, by))


def _plural(item: Item, language: Language) -> bool:
    text = item.text.split()[-1].lower()
    if language == "en":
        return text.endswith("s") and not text.endswith("ss")
    return text.endswith(("t", "ia", "iä", "ja", "jä", "ita", "itä", "oita", "öitä"))


def _how_many(f: Frame, head: int | None) -> int | None:
    """One, unless the question speaks of several: then all, in order."""
    item = f.keys[-1] if f.keys else None
    if item is None:
        return 1
    return None if _speaks_plural(f, item) else 1


def _speaks_plural(f: Frame, item: Item) -> bool:
    copulas = {it.text.lower() for it in f.items if it.concept == "cop"}
    if f.language == "en":
        if copulas & {"is", "was"}:
            return False
        fields = item.means.fields if isinstance(item.means, Fields) else ()
        # "optics" is one thing: its name has no singular of its own.
        if any(isinstance(x, FeatureField) for x in fields) and item.text.lower().split()[-1] in {
            "optics",
            "connections",
        }:
            return False
        return _plural(item, "en")
    markers = [it.text.lower() for it in f.items if it.concept in {"popular", "unpopular"}]
    return any(m.split()[-1].endswith(("t", "ia", "iä")) for m in markers)


def _asked_number(f: Frame) -> int | None:
    """How many of the asked thing: one when it is named in the singular, else all."""
    asked = f.who or (f.shows[0] if f.shows else f.keys[-1] if f.keys else None)
    if asked is None:
        return None
    if asked is f.who:
        return 1 if asked.text.lower() not in {"ketkä", "ketka"} else None
    if isinstance(asked.means, Word):
        for k, it in enumerate(f.items):
            meaning = it.means
            if isinstance(meaning, Number) and meaning.unit is None and k not in f.used and k + 1 < len(f.items):
                head = k + 1
                if f.items[head] is asked:
                    f.used.add(k)
                    return int(meaning.value)
    return None if _plural(asked, f.language) else 1


def _noun(f: Frame, i: int, item: Item) -> None:
    """A noun without a marker: asked for, or context."""
    f.used.add(i)
    if isinstance(item.means, Fields):
        f.shows.append(item)
        return
    if f.who is not None and item.concept.startswith("entity."):
        place = f.items.index(f.who)
        if all(it.concept in {"cop", "all"} or isinstance(it.means, Number) for it in f.items[place + 1 : i]):
            # "Ketkä osapuolet", "who was the company that": the noun is asked for.
            f.who = None
            f.shows.append(item)
            return
    asked = i > 0 and f.items[i - 1].concept == "ask"
    if (
        f.language == "fi" and item.case is Case.GENITIVE and item.concept.startswith("entity.") and not asked
    ) or _possessor(f, i):
        f.context.append(item)
        return
    before = [it for it in f.items[:i] if not isinstance(it.means, Condition)]
    opened = all(it.concept in {"ask", "cop", "of", "have", "different", "comma", "to", "from", "atleastone", "and", "in", "dated", "all", "for", "stop", "ask.do", "rel"}
                 or it.concept.startswith("role.") or isinstance(it.means, Number) or it in f.shows or it in f.context or it.concept in _SUPERLATIVES or it in f.keys
                 for it in before)  # fmt: skip
    first = (
        not f.shows
        and not f.counts
        and not f.measures
        and f.rank is None
        and f.share_at is None
        and not f.price_asked
        and f.who is None
    )
    listed = bool(f.shows) and i > 1 and f.items[i - 1].concept in {"and", "comma"} and f.items[i - 2] in f.shows
    if (first and opened) or listed:
        f.shows.append(item)
    else:
        f.context.append(item)
