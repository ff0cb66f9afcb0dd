"""Ids as typed: of offers behind the word offer, ext_ids behind ext_id or in front of "parameter".

Arrives: items as tagged. Leaves: the same with ids as `Condition`s, before numbers and values are read otherwise.
"""

import re

from cpq_graph.query.language.items import (
    Bound,
    Condition,
    FeatureRef,
    Identifier,
    Item,
    Number,
    ValueRef,
    When,
    merged,
)  # fmt: skip
from cpq_graph.query.language.link import Linker
from cpq_graph.query.language.offers import EXT_ID, OFFER_ID, PROPERTIES
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.scan import concept, means, replaced, skip
from cpq_graph.query.language.tokens import fold
from cpq_graph.query.plan import Compare, Grain, Operator

_OF_SEVERAL = {"count", "most", "fewest", "highest", "lowest", "expensive", "cheap", "latest", "earliest"}
_MARKS = {"prop.id", "count", "#", "cop", "cmp.exactly", "number", "prop.name", "have", "stop"}


def identifiers(items: list[Item], linker: Linker) -> list[Item]:
    """Offer ids behind the word offer, ext_ids behind ext_id; before numbers and values are read otherwise."""
    items = _named_by_ext_id(items)
    i = 0
    while i < len(items):
        found = None
        if items[i].concept == "entity.offer":
            found = _offer_ids(items, i)
        elif items[i].concept == "prop.extid":
            found = _ext_id(items, i, linker)
            if found and (feature := _of_feature(items, i, found)):
                start, end, ref = feature
                items = replaced(items, start, end, ref)
                i = start + 1
                continue
        elif isinstance(named := items[i].means, Identifier) and _bare_id(items, i, named.text):
            condition = Condition(
                Grain.OFFER, (Compare(field=OFFER_ID, operator=Operator.EQUAL, values=(named.text,)),), "offer"
            )
            found = i + 1, condition
        elif (
            isinstance(items[i].means, FeatureRef)
            and concept(items, i + 1) == "entity.parameter"
            and isinstance(means(items, skip(items, i + 2, {"cop", "have", "value", "cmp.exactly"})), ValueRef | Bound)
        ):
            # "whose vari parameter is white"
            end = skip(items, i + 2, {"value"})
            items = replaced(items, i, end, items[i])
        elif isinstance(feature_ref := items[i].means, FeatureRef) and concept(items, i + 1) == "entity.parameter":
            ext_ids = feature_ref.ext_ids
            compare = Compare(
                field=EXT_ID, operator=Operator.EQUAL if len(ext_ids) == 1 else Operator.IN, values=ext_ids
            )
            if len(ext_ids) == 1:
                kept = items[i + 1]
                condition = Condition(Grain.PARAMETER, (compare,), "ext_id")
                items = replaced(items, i, i + 2, merged(items, i, i + 1, condition), kept)
                i += 2
                continue
        if found:
            end, condition = found
            items = replaced(items, i, end, merged(items, i, end, condition))
        i += 1
    return items


def _named_by_ext_id(items: list[Item]) -> list[Item]:
    """ "The parameter vari (ext_id)": the word only says what kind of name stood before it."""
    found: list[Item] = []
    for i, item in enumerate(items):
        key = isinstance(means(items, i + 1), Identifier | FeatureRef)
        last = len(found) - 1
        while last >= 0 and found[last].concept in {"by", "entity.parameter"}:
            last -= 1
        if item.concept == "prop.extid" and not key and last >= 0 and isinstance(found[last].means, FeatureRef):
            while found[-1].concept == "by":
                found.pop()
            continue
        found.append(item)
    return found


def _bare_id(items: list[Item], i: int, text: str) -> bool:
    """An id of several parts that stands alone with a property of offers: "total price Q-000429"."""
    before = concept(items, skip(items, i - 1, {"cop", "cmp.exactly", "of"}, step=-1))
    if re.fullmatch(r"[A-Za-z]{1,4}[-_/](?:\d{2,}[-_/])*\d{2,}", text) and before not in {
        "prop.extid", "entity.parameter", "prop.parameterid",
    }:  # fmt: skip
        return True
    whole = any(c.isdigit() for c in text) and any(c.isalpha() for c in text) and any(c in "-_/" for c in text)
    return whole and any(k.concept in PROPERTIES and PROPERTIES[k.concept][1] is Grain.OFFER for k in items)


def _of_feature(items: list[Item], i: int, found: tuple[int, Condition]) -> tuple[int, int, Item] | None:
    """ "the parameter with ext_id vari has the value white", "white (ext_id vari)": the feature by its key."""
    end, condition = found
    compare = condition.conditions[0]
    assert isinstance(compare, Compare)  # noqa: S101 - made right before
    at = skip(items, end, {"have", "cop", "value", "prop.valuename", "comma", "configured"})
    follows = isinstance(means(items, at), ValueRef | Bound | Number) or concept(items, at).startswith("cmp.")
    left = skip(items, i - 1, {"for", "of", "in", "as", "value", "entity.parameter", "whose", "rel", "have"}, step=-1)
    before = isinstance(means(items, left), ValueRef)
    if not (follows or before):
        return None
    start = (
        skip(items, left if before else i - 1, {"entity.parameter", "have", "whose", "rel", "entity.feature"}, step=-1)
        + 1
    )
    item = merged(items, i, end, FeatureRef((str(compare.values[0]),)))
    return start, at if follows else end, item


def _offer_ids(items: list[Item], i: int) -> tuple[int, Condition] | None:
    at = i + 1
    while concept(items, at) in _MARKS or (at < len(items) and items[at].text.lower() in {"no", "nr", "n:o"}):
        at += 1
    if {items[k].concept for k in range(i + 1, at)} & {"have", "cop", "prop.name"} and not any(
        items[k].concept in {"prop.id", "#"} for k in range(i + 1, at)
    ):
        return None
    if any(items[k].concept == "count" and fold(items[k].text) not in {"number", "no"} for k in range(i + 1, at)):
        return None
    marked = at > i + 1 and {items[k].concept for k in range(i + 1, at)} & {"prop.id", "count", "#", "without"}
    # "viisi kalleinta tarjousta 2024", "how many offers 2024": several are meant, and a year.
    several = any(
        isinstance(items[k].means, Number) or concept(items, k) in _OF_SEVERAL for k in range(max(0, i - 2), i)
    )
    plural = several or _plural(items[i].text)
    ids: list[str] = []
    end = at
    while end < len(items):
        text = _id_text(items[end], marked=bool(marked), plural=plural)
        if text is None:
            break
        ids.append(text)
        end += 1
        link = skip(items, end, {"comma", "and", "or"})
        if link == end or link >= len(items) or _id_text(items[link], marked=bool(marked), plural=plural) is None:
            break
        end = link
    if not ids:
        return None
    operator = Operator.EQUAL if len(ids) == 1 else Operator.IN
    return end, Condition(Grain.OFFER, (Compare(field=OFFER_ID, operator=operator, values=tuple(ids)),), "offer")


def _plural(text: str) -> bool:
    word = fold(text)
    return word.endswith(("s", "set", "sten", "ksia", "ksissa", "ksista", "t", "ksilla")) and word not in {
        "tarjous",
        "tilaus",
        "kaupat",
    }


def _id_text(item: Item, *, marked: bool, plural: bool) -> str | None:
    """The text of an item that can be an offer's id, as typed."""
    if isinstance(item.means, Identifier):
        return item.means.text
    identifier = next((o.text for o in item.others if isinstance(o, Identifier)), None)
    if isinstance(item.means, Number) and item.means.unit is None:
        written = item.text.replace(" ", "")
        return written if written.isdigit() and (marked or not plural or len(written) > 2) else None
    if isinstance(item.means, When) and identifier:
        if marked:
            return identifier
        if not plural and item.means.period.unit == "year":
            raise Problem("id_or_year", (("number", identifier),), span=(item.start, item.end))
        return None
    return identifier if isinstance(item.means, ValueRef) and identifier else None


def _ext_id(items: list[Item], i: int, linker: Linker) -> tuple[int, Condition] | None:
    at = skip(items, i + 1, {"cop", "cmp.exactly", "value", "of", "prop.extid", "comma", "have", "attribute"})
    if at >= len(items) or items[at].concept:
        return None
    item = items[at]
    text = (item.means.text if isinstance(item.means, Identifier) else item.text).strip("\"'“”„’‘«» ")
    if not isinstance(item.means, Identifier | FeatureRef | ValueRef):
        return None
    known = {e.casefold(): e for e in linker.features}
    if text.casefold() not in known:
        raise Problem("no_ext_id", (("words", text),), words=(text,))
    compare = Compare(field=EXT_ID, operator=Operator.EQUAL, values=(known[text.casefold()],))
    return at + 1, Condition(Grain.PARAMETER, (compare,), "ext_id")
