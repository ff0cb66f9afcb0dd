"""What people shorten or say in passing, at the level of words that are understood.

Arrives: items, before conditions are made of them. Leaves: the same with marks and words of several uses given the one
that their place gives them: "offers / user", "length x power", "just", "over all families", "11 offers or more".
"""

from dataclasses import replace

from cpq_graph.query.language.heads import SUPERLATIVES
from cpq_graph.query.language.items import (
    Condition,
    FamilyRef,
    FeatureRef,
    Item,
    Number,
    PartyRef,
    ValueRef,
    When,
    Word,
)
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.scan import concept, means, replaced, skip

_APART = {"entä", "entäs", "erikseen", "separately", "each separately", "respectively"}
_OF_EACH = {
    "kunkin", "jokaisen", "kummankin", "each", "jokaisesta", "kustakin", "kultakin", "jokaiselta", "each of",
    "for each", "kullekin", "jokaiselle",
}  # fmt: skip
_PIECES = {"pcs", "pieces", "units"}
_COUNTED = {"entity.offer", "entity.product", "count", "prop.price", "prop.revenue"}
_AROUND_ALL = {"of", "in", "among", "comma", "per", "from", "for", "cmp.more", "and"}
_STORED = {"prop.status", "prop.language", "prop.version"}
_RESTRICTED = {"contain", "have", "configured", "in", "of", "cop", "role.received", "role.sent"}


def shorthand(items: list[Item]) -> list[Item]:
    """The items with every shorthand read."""
    items = [_sign(items, i) for i in range(len(items))]
    items = _over_all_families(_least(items))
    items = _amounts(items)
    items = _of_a_feature(items)
    items = _each_asked(_of_each_one(items))
    items = _dangling(_other(items))
    return [i for i in items if i.concept != "filler"]


def _named(items: list[Item], i: int) -> bool:
    """Whether a thing to group by stands there."""
    return isinstance(means(items, i), FeatureRef) or concept(items, i).startswith(
        ("entity.", "rolenoun.", "roleadj.", "unit.", "prop.")
    )


def _sign(items: list[Item], i: int) -> Item:
    """A slash, a times sign, a word such as "just": what each is between its neighbours."""
    item = items[i]
    if isinstance(item.means, Number) and _single(items, i):
        return replace(item, means=Word("filler"))
    match item.concept:
        case "slash" if (
            concept(items, i + 1).startswith("unit.")
            or (concept(items, i - 1) in _COUNTED and _named(items, i + 1))
            or (
                concept(items, i + 1) in {"entity.product", "entity.offer"}
                and not concept(items, i - 1).startswith(("entity.", "rolenoun."))
            )
        ):
            # "offers / user"
            return replace(item, means=Word("per"))
        case "each" if _every(items, i):
            return replace(item, means=Word("all"), others=())
        case "each" if _of_the_counted(items, i):
            # "Frame colours, pieces of each"
            return replace(item, means=Word("filler"), others=())
        case "when" if i and concept(items, i + 1).startswith("agg."):
            # "What do they come to when added together"
            return replace(item, means=Word("filler"), others=())
        case "belong" if item.text.lower() == "at" and not any(isinstance(k.means, PartyRef) for k in items):
            return replace(item, means=Word("filler"), others=())
        case "cmp.atmost" | "cmp.atleast" if not any(isinstance(means(items, k), Number) for k in (i + 1, i + 2)):
            # "At most how many products were in one offer?"
            extreme = "agg.maximum" if item.concept == "cmp.atmost" else "agg.minimum"
            return replace(item, means=Word(extreme), others=())
        case "value" if isinstance(means(items, i + 1), ValueRef):
            return replace(item, means=Word("filler"), others=())
        case "each" if _listed(items, i):
            # "List each family that …", "Every status that occurs": all of them.
            return replace(item, means=Word("all"), others=())
        case "earliest" if _counts_off(items, i):
            # "The five first": of a ranking
            return replace(item, means=Word("top"), others=())
        case "per" if isinstance(means(items, skip(items, i + 1, {"of"})), FamilyRef | When | PartyRef):
            # "Separately for A and B"
            return replace(item, means=Word("compare" if _several(items) else "filler"), others=())
        case "each" if all(k.concept in {"stop", "filler", "of"} for k in items[i + 1 :]):
            return replace(item, means=Word("compare")) if _several(items) else item
        case "slash" if isinstance(means(items, i - 1), When) and isinstance(means(items, i + 1), When):
            return replace(item, means=Word("compare"))
        case "slash" if concept(items, i - 1).startswith("prop.") and concept(items, i + 1).startswith("prop."):
            return replace(item, means=Word("and"))
        case "entity.product" if item.text.lower() in _PIECES and _last(items, i):
            return replace(item, means=Word("count"), others=())
        case "prop.price" if _subprice(items, i):
            return replace(item, means=Word("filler"))
        case "slash" if isinstance(means(items, i - 1), ValueRef) and isinstance(means(items, i + 1), ValueRef):
            return replace(item, means=Word("or"))
        case "slash" if not (_named(items, i - 1) and _named(items, i + 1)):
            return replace(item, means=Word("comma"))
        case "times" if _named(items, i - 1) and _named(items, i + 1):
            return replace(item, means=Word("slash"))
        case "range" if _spanned(items, i):
            return replace(item, means=Word("filler"))
        case "only" if any(k.concept in {"only", "just"} for k in items[:i]):
            return replace(item, means=Word("filler"))
        case "#" if not isinstance(means(items, i + 1), Number | Condition):
            return replace(item, means=Word("count"))
        case "compare" if item.text.lower() in _APART and not _several(items):
            return replace(item, means=Word("filler"))
        case "count" if concept(items, i + 1) == "share":
            return replace(item, means=Word("filler"))
        case "just":
            said = concept(items, i - 1) in _RESTRICTED
            return replace(item, means=Word("only" if said else "filler"))
        case "only" if not _narrows(items, i):
            # "only those in status ORDERED"
            return replace(item, means=Word("filler"))
    return item


def _listed(items: list[Item], i: int) -> bool:
    """Whether "each" opens a list of things, rather than saying what to go through."""
    opens = all(k.concept in {"ask.do", "filler"} for k in items[:i])
    left = skip(items, i - 1, {"prop.name", "of"}, step=-1)
    asked = concept(items, left) == "ask.do" and concept(items, i + 1).startswith(("entity.", "rolenoun."))
    named = concept(items, i + 1).startswith(("prop.", "entity.", "rolenoun.")) or isinstance(
        means(items, i + 1), FeatureRef
    )
    ranked = any(k.concept in SUPERLATIVES for k in items)
    return not ranked and (asked or (opens and named and not _counted_by(items)))


def _every(items: list[Item], i: int) -> bool:
    """Whether it is all of them that are counted or added up: "count every offer", "add the prices of every offer"."""
    if concept(items, i - 1) in {"count", "count.do"}:
        return concept(items, i + 1) in {"entity.offer", "entity.product"}
    added = any(k.concept == "agg.sum" and k.text.lower().startswith(("add", "sum")) for k in items[:i])
    return added and concept(items, i - 1) == "of" and concept(items, i + 1) == "entity.offer"


def _counts_off(items: list[Item], i: int) -> bool:
    """Whether "first" is said of the places of a ranking: "most popular optics, five first"."""
    numbered = any(isinstance(means(items, k), Number) for k in (i - 1, i + 1))
    return numbered and any(k.concept in {"popular", "most", "highest", "top"} for k in items)


def _of_the_counted(items: list[Item], i: int) -> bool:
    """Whether "of each" closes the question behind a count: the thing named before is what is counted by."""
    counts = concept(items, i - 1) == "of" and (
        concept(items, i - 2) == "count" or items[i - 2].text.lower() in _PIECES
    )
    return counts and _ends(items, i + 1)


def _spanned(items: list[Item], i: int) -> bool:
    """Whether a span of numbers stands beside: "the range 30–60 W"."""
    return any(
        isinstance(means(items, k), Number)
        and concept(items, k + 1) in {"dash", "to"}
        and isinstance(means(items, k + 2), Number)
        for k in (i + 1, i + 2, i - 3, i - 4)
        if k >= 0
    )


def _single(items: list[Item], i: int) -> bool:
    """ "In one offer": that it is one says nothing, unless it is compared or a place in a ranking."""
    item = items[i]
    said = isinstance(item.means, Number) and item.means.value == 1 and item.means.unit is None
    before = concept(items, i - 1)
    if said and item.text.lower() in {"yhdessä", "yhdellä", "yhtä"}:
        # "yhdessä X:n vastaanottamassa tarjouksessa"
        return True
    return (
        said and not any(c.isdigit() for c in item.text) and not before.startswith(("cmp.", "post.", "top", "or"))
        and not concept(items, i + 1).startswith(("post.", "popular", "most", "highest", "or"))
        and concept(items, i + 1) != ""
    )  # fmt: skip


def _several(items: list[Item]) -> bool:
    """Whether two things of a kind are named, which can be set side by side."""
    return max(sum(isinstance(k.means, kind) for k in items) for kind in (FamilyRef, When, PartyRef, ValueRef)) > 1


def _last(items: list[Item], i: int) -> bool:
    """Whether nothing but marks follows, and nothing else is counted."""
    rest = all(k.concept in {"stop", "filler", "of", "each"} for k in items[i + 1 :])
    counted = _counted_by(items)
    return rest and (not counted or counted == ["agg.sum"] == [concept(items, i - 1)])


def _counted_by(items: list[Item]) -> list[str]:
    """The words that ask for a number."""
    return [k.concept for k in items if k.concept in {"count", "howmuch", "share"} or k.concept.startswith("agg.")]


def _subprice(items: list[Item], i: int) -> bool:
    """Whether a price is that of the subcontent: "the subcontent has what total price"."""
    places = [k for k, item in enumerate(items) if item.concept == "prop.subprice"]
    if len(places) != 1:
        return False
    low, high = min(places[0], i), max(places[0], i)
    return not any(k.concept in {"and", "comma", "compare", "entity.offer"} for k in items[low:high])


def _narrows(items: list[Item], i: int) -> bool:
    """Whether "only" may be said of what products are: nothing but a status or a time follows it otherwise."""
    return not any(k.concept in {"prop.status"} or isinstance(k.means, When) for k in items[i + 1 : i + 3])


def _least(items: list[Item]) -> list[Item]:
    """ "min 1800 mm", "min length 1800 mm": at least so much."""
    found = list(items)
    for i, item in enumerate(items):
        kind = {"agg.minimum": "cmp.atleast", "agg.maximum": "cmp.atmost"}.get(item.concept)
        if kind and isinstance(means(items, i + 1), Number):
            found[i] = replace(item, means=Word(kind), others=())
        elif kind and isinstance(means(items, i + 1), FeatureRef):
            # "a minimum length of 1800 mm"
            at = i + 3 if concept(items, i + 2) == "of" else i + 2
            if isinstance(means(items, at), Number):
                found[i:at] = [items[i + 1], replace(item, means=Word(kind), others=()), *items[i + 2 : at]]
    return found


def _over_all_families(items: list[Item]) -> list[Item]:
    """ "most popular optics, all families": which families there are is not asked."""
    asked = any(isinstance(k.means, FeatureRef) for k in items)
    if asked and concept(items, 0) == "all" and concept(items, 1) == "entity.family":
        end = skip(items, 2, {"agg.sum"})
        items = items[end + 1 :] if concept(items, end) == "comma" else items
    i = 1
    while asked and i < len(items) - 1:
        ranked = any(k.concept in {"top", "popular", "unpopular", "most", "fewest"} for k in items)
        if ranked and concept(items, i) == "each" and concept(items, i - 1) == "comma" and _ends(items, i + 2):
            # "top five, every family": over all or in each stays open.
            raise Problem("not_placed", words=(items[i].text,))
        if concept(items, i) in {"all", "atleastone"} and concept(items, i + 1) == "entity.family":
            start = skip(items, i - 1, _AROUND_ALL, step=-1) + 1
            if not items[start - 1].concept.startswith(("ask", "count", "rolenoun")) or start < i:
                items = replaced(items, start, i + 2)
                continue
        i += 1
    return items


def _other(items: list[Item]) -> list[Item]:
    """ "other frame colours than white", "each handled": the order, and the persons, that the grammar knows."""
    found = list(items)
    for i in range(len(items) - 2):
        other = concept(items, i) in {"other", "otherthan"} and concept(items, i + 2) == "than"
        if other and (isinstance(means(items, i + 1), FeatureRef) or concept(items, i + 1) in _STORED):
            found[i : i + 3] = [items[i + 1], replace(items[i], means=Word("otherthan"), others=()), items[i + 2]]
    for i in range(len(found) - 1):
        verb = concept(found, i + 1).split(".")
        if concept(found, i) == "each" and verb[0] == "role" and verb[-1] in {"active", "handled", "sent", "received"}:
            person = "entity.user" if verb[1] == "handled" else f"rolenoun.{verb[1]}"
            return [*found[: i + 1], replace(found[i], means=Word(person), others=()), *found[i + 1 :]]
    return found


def _dangling(items: list[Item]) -> list[Item]:
    """ "Offer X sent by?": by whom."""
    end = _end(items)
    asked = any(
        k.concept.startswith(("who", "ask", "count", "entity.user", "entity.part", "entity.comp")) for k in items
    )
    if end > 1 and not asked and concept(items, end - 1) == "by" and concept(items, end - 2).startswith("role."):
        return [*items[:end], replace(items[end - 1], means=Word("who"), others=()), *items[end:]]
    return items


def _each_asked(items: list[Item]) -> list[Item]:
    """ "Which languages were used, and how many offers were there in each": what is asked for is gone through."""
    end = _end(items)
    counts = [k for k in range(end) if concept(items, k) == "count"]
    each = end - 1 if concept(items, end - 1) == "each" else end - 2 if concept(items, end - 2) == "each" else -1
    if len(counts) != 1 or each < counts[0] or any(k.concept in SUPERLATIVES for k in items):
        return items
    first = next((k for k in range(counts[0]) if concept(items, k) in {"ask", "ask.do"}), None)
    if first is None or not (_named(items, first + 1) or concept(items, first + 1) == "entity.combination"):
        return items
    if each == end - 2 and items[end - 1].means != items[first + 1].means:
        # "Which companies received F, and how many in each colour": by both
        return items
    left = each - 1 if concept(items, each - 1) in {"of", "in", "for"} else each
    per = replace(items[first], means=Word("per"), others=())
    return [*items[:first], per, *items[first + 1 : left], *items[end:]]


def _of_each_one(items: list[Item]) -> list[Item]:
    """ "The luminaires and the power of each", "yritykset sekä kunkin tarjousmäärä": of each thing that is listed."""
    for i in range(1, len(items) - 1):
        own = concept(items, i) == "each" and items[i].text.lower() in _OF_EACH
        if not (own and concept(items, i - 1) in {"and", "comma", "stop", "ask.do"}):
            continue
        per = replace(items[i], means=Word("per"), others=())
        ranked = any(k.concept in SUPERLATIVES for k in items[:i])
        if ranked and concept(items, i + 1) == "entity.offer" and concept(items, i + 2) == "count":
            # "Näytä myös kunkin tarjousten määrä"
            return [*items[:i], *items[i + 1 :]]
        if concept(items, i - 1) == "ask.do" and not ranked:
            continue
        told = [k for k in range(i) if concept(items, k) in {"entity.product", "entity.offer", "entity.family"}]
        named = concept(items, i + 1).startswith("prop.") and not concept(items, i + 1).startswith("prop.price")
        if told and named and concept(items, told[-1]) == "entity.product":
            # "List the products: of each its code and cost"
            return [*items[:i], per, items[told[-1]], *items[i + 1 :]]
        if told and concept(items, told[-1]) == "entity.family" and concept(items, i + 1) in SUPERLATIVES:
            # "List the families and the most ordered colour of each"
            at = told[-1]
            return [*items[:at], *items[at + 1 : i], per, items[at], *items[i + 1 :]]
        if concept(items, i + 1).startswith(("count", "prop.price", "agg.", "prop.sub")):
            return [*items[:i], *items[i + 1 :]]
        listed = concept(items, i - 2)
        if listed in {"entity.product", "entity.offer"} and isinstance(means(items, i + 1), FeatureRef):
            return [*items[:i], per, items[i - 2], *items[i + 1 :]]
    return items


def _end(items: list[Item]) -> int:
    """Where the marks that close a question begin."""
    return skip(items, len(items) - 1, {"stop", "filler"}, step=-1) + 1


def _ends(items: list[Item], i: int) -> bool:
    return all(k.concept in {"stop", "filler"} for k in items[i:])


def _amounts(items: list[Item]) -> list[Item]:
    """ "11 offers or more" as "11 or more offers"."""
    for i in range(len(items) - 2):
        noun, after = concept(items, i + 1), concept(items, i + 2)
        if (
            isinstance(means(items, i), Number)
            and noun in {"entity.offer", "entity.product"}
            and after.startswith("post.")
        ):
            items = [*items[: i + 1], items[i + 2], items[i + 1], *items[i + 3 :]]
    return items


def _of_a_feature(items: list[Item]) -> list[Item]:
    """ "no sensor feature": that the feature is not there, though "no sensor" is also one of its values."""
    found: list[Item] = []
    for i, item in enumerate(items):
        denied = item.text.lower().split()[0] in {"no", "ei"} and len(item.text.split()) > 1
        if isinstance(item.means, ValueRef) and denied and concept(items, i + 1) == "entity.feature":
            features = FeatureRef(tuple(dict.fromkeys(c.ext_id for c in item.means.choices)))
            found += [replace(item, means=Word("without"), others=()), replace(item, means=features, others=())]
        else:
            found.append(item)
    return found
