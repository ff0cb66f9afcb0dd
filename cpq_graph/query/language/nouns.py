"""Nouns that belong together: "the sender's company", "names of the participants", "receiving company", "offer ids".

Arrives: items, ids and numbers already found. Leaves: the same with each such phrase as one noun, and words of two
meanings ("order", "who", "cost", "value") with the one that their place gives them.
"""

from dataclasses import replace

from cpq_graph.query.language.items import PARTIES, Item, Number, PartyRef, Word, merged
from cpq_graph.query.language.lexicon import Language
from cpq_graph.query.language.scan import concept, means, replaced, skip

_PARTS = {"prop.name": "name", "prop.title": "title", "entity.company": "company", "prop.lastname": "name"}
# Whoever it is.
ANYBODY = {"people", "folks", "ihmiset", "väki"}
_SELF = {"entity.offer", "entity.product", "entity.family", "entity.company", "entity.parameter", "entity.tab"}
_PERSONS = {"entity.participant", "entity.user"}


def nouns(items: list[Item], language: Language) -> list[Item]:
    """Every phrase of nouns as one."""
    items = _meanings(items, language)
    i = 0
    while i < len(items):
        found = _pair(items, i)
        if found:
            end, meaning = found
            kept = items[end - 1] if language == "fi" else items[i]
            whole = replace(merged(items, i, end, Word(meaning)), case=items[end - 1].case, text=kept.text)
            if items[i].concept == meaning and end == i + 2:
                whole = replace(whole, text=items[i].text)
            items = replaced(items, i, end, whole)
            i = max(i - 2, 0)
        else:
            i += 1
    # A title that nobody's name stands beside is the title of whoever the verb speaks of.
    return [replace(k, means=Word("entity.participant.title")) if k.concept == "prop.title" else k for k in items]


def _pair(items: list[Item], i: int) -> tuple[int, str] | None:
    first, second = concept(items, i), concept(items, i + 1)
    if first.startswith("roleadj."):
        part = {"entity.company": "company", "entity.participant": "name"}.get(second)
        return (i + 2, f"rolenoun.{first[8:]}.{part}") if part else None
    if first in {"entity.company", "entity.participant"} and second.startswith("roleadj."):
        return None
    if first == "entity.offer" and second.startswith("rolenoun.") and items[i].text.lower() in {"offer", "quote"}:
        # "offer receivers"
        return i + 2, second
    if first.startswith("rolenoun.") and first.count(".") == 1 and second in _PARTS:
        return i + 2, f"{first}.{_PARTS[second]}"
    if first.startswith("rolenoun.") and first.endswith(".name") and second == "prop.title":
        return i + 2, first[:-4] + "title"
    if first in _PERSONS and second in {"prop.name", "prop.title"}:
        return i + 2, first if second == "prop.name" else "entity.participant.title"
    if first in _SELF and second == ("prop.id" if first in {"entity.offer", "entity.product"} else "prop.name"):
        return i + 2, first
    if first in _PARTS or first == "prop.id":
        at = skip(items, i + 1, {"of", "different", "all", "among"})
        owner = concept(items, at)
        if at == i + 1:
            return None
        if owner.startswith("rolenoun.") and owner.endswith(".name") and first == "prop.name":
            return at + 1, owner
        if owner.startswith("rolenoun.") and owner.count(".") == 1 and first != "prop.id":
            return at + 1, f"{owner}.{_PARTS[first]}"
        if owner in _PERSONS and first in {"prop.name", "prop.title"}:
            return at + 1, owner if first == "prop.name" else "entity.participant.title"
        if owner in _SELF and first == ("prop.id" if owner in {"entity.offer", "entity.product"} else "prop.name"):
            return at + 1, owner
    return None


def _meanings(items: list[Item], language: Language) -> list[Item]:
    found: list[Item] = []
    much = any(i.concept == "howmuch" for i in items)
    for k, item in enumerate(items):
        word = item.text.lower()
        new = item.concept
        before = found[-1] if found else None
        if (
            item.concept == "who"
            and before is not None
            and before.concept.startswith(("entity.", "rolenoun."))
            and language == "en"
        ):
            new = "rel"
        elif word in {"order", "get"} and before is not None and (
            isinstance(before.means, PartyRef) or before.concept in {"entity.company", "entity.participant", "who"}
            or before.concept.startswith("rolenoun.") or concept(items, k + 1) in {"most", "fewest"}
        ):  # fmt: skip
            new = "role.received"
        elif item.concept == "prop.cost" and language == "en" and word in {"cost", "costs"}:
            # "offers that cost more than …", "how much does it cost": a verb, and the price.
            said = (
                before is not None
                and before.concept in {"entity.offer", "rel"}
                and any(k.concept == "entity.offer" for k in items)
            )
            new = "verb.cost" if much or said else item.concept
        elif (
            item.concept == "prop.name"
            and before is not None
            and isinstance(before.means, Number)
            and not _people(items)
        ):
            # "three names, most offers sent"
            new = "entity.participant"
        elif word == "joka" and _each_of(items, k):
            new = "each"
        elif word in {"päivä", "paiva"} and before is not None and before.concept == "each":
            new = "unit.day"
        elif (
            item.concept.startswith("roleadj.")
            and before is not None
            and before.concept in {"entity.company", "entity.participant", "entity.user"}
        ):
            new = f"role.{item.concept[8:]}"
        elif (
            item.concept == "count"
            and word.startswith("quantit")
            and concept(items, skip(items, k + 1, {"of", "all"})) == "entity.parameter"
        ):
            new = "prop.quantity"
        elif item.concept == "value" and _of_offers(items, k):
            new = "prop.price"
        elif (
            item.concept == "entity.product"
            and word in {"pcs", "pieces", "units"}
            and before is not None
            and before.concept == "count"
        ):
            new = "entity.product"
        if _doers(found, new):
            # "that customers ordered": whoever does it, does just that.
            found.pop()
        found.append(item if new == item.concept else replace(item, means=Word(new), others=()))
    return found


def _each_of(items: list[Item], k: int) -> bool:
    """Whether "joka" is each, and not which: before a period or a thing."""
    following = (concept(items, k + 1), concept(items, k + 2))
    day = items[k + 1].text.lower() == "päivä" if k + 1 < len(items) else False
    return day or following[0].startswith(("entity.", "rolenoun.")) or any(c.startswith("unit.") for c in following)


def _people(items: list[Item]) -> bool:
    """Whether a noun for people or companies is there."""
    return any(i.concept.startswith((*PARTIES, "who", "entity.family")) for i in items)


def _doers(found: list[Item], verb: str) -> bool:
    """Whether the last item names in general those who do what the verb says, and is neither asked for nor counted."""
    if len(found) < 2 or not verb.startswith("role."):
        return False
    doer, before = found[-1].concept, found[-2].concept
    if (
        doer == "entity.participant"
        and found[-1].text.lower() in ANYBODY
        and before not in {"ask", "each", "count", "different"}
    ):
        # "what people order most"
        return not isinstance(found[-2].means, Number)
    if isinstance(found[-2].means, Number):
        # "which five customers received …" asks for them
        return False
    return doer == f"rolenoun.{verb.split('.')[1]}" and before in {"entity.product", "entity.offer", ""}


def _of_offers(items: list[Item], k: int) -> bool:
    at = skip(items, k + 1, {"of", "all"})
    return (
        (at > k + 1 and concept(items, at) == "entity.offer")
        or concept(items, k - 1) == "entity.offer"
        or (
            concept(items, k - 1) in {"agg.average", "agg.sum", "agg.median"}
            and not isinstance(means(items, k + 1), Word)
        )
    )
