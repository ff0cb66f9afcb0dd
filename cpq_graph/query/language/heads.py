"""Which noun a marker is said of: the one behind "number of", the Finnish genitive in front of "lukumäärä".

Arrives: a frame that is being filled, and the place of a marker. Leaves: the place of its noun, or None.
"""

from cpq_graph.query.language.frame import NUMERIC, Frame
from cpq_graph.query.language.items import Condition, Fields, Item, Number
from cpq_graph.query.language.lexicon import Language
from cpq_graph.query.language.morphology import Case
from cpq_graph.query.language.role_phrases import verb_of
from cpq_graph.query.plan import PropertyField

SUPERLATIVES = frozenset(
    ["popular", "unpopular", "most", "fewest", "highest", "lowest", "expensive", "cheap", "latest", "earliest", "top"]
)
_BEFORE_HEAD = {"of", "ask", "different", "in", "value", "cop", "all", "for", "configured"}


def is_price(item: Item) -> bool:
    """Whether an item is a price or cost."""
    return isinstance(item.means, Fields) and any(
        x in NUMERIC for x in item.means.fields if isinstance(x, PropertyField)
    )


def is_noun(item: Item) -> bool:
    """Whether it names things or properties of things."""
    return isinstance(item.means, Fields) or item.concept.startswith(("entity.", "rolenoun."))


def head_at(f: Frame, i: int, *, conditions: bool = True) -> int | None:
    """The noun that a marker in front of `i` is said of."""
    while i < len(f.items):
        item = f.items[i]
        if i in f.used and not (conditions and item.concept in {"count"}):
            return None
        if is_noun(item) and not possessor(f, i):
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


def possessor(f: Frame, i: int) -> bool:
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
        f.language == "fi" and f.items[k].concept in SUPERLATIVES | {"agg.average", "agg.median"}
    )


def noun_before(f: Frame, i: int) -> int | None:
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


def take(f: Frame, i: int) -> Item:
    """The item at `i`, which has its place now."""
    item = f.items[i]
    f.used.add(i)
    if item in f.shows:
        f.shows.remove(item)
    if item in f.context:
        f.context.remove(item)
    return item


def number_near(f: Frame, i: int) -> int | None:
    """The number that says how many a superlative keeps, before or behind it."""
    for k in (i - 1, i + 1):
        if 0 <= k < len(f.items) and k not in f.used:
            meaning = f.items[k].means
            if isinstance(meaning, Number) and meaning.unit is None and meaning.value == int(meaning.value) >= 1:
                f.used.add(k)
                return int(meaning.value)
    return None


def plural(item: Item, language: Language) -> bool:
    """Whether a noun stands in the plural."""
    text = item.text.split()[-1].lower()
    if language == "fi" and item.concept.startswith(("rolenoun.", "entity.user")) and text.endswith(("ja", "jä")):
        # "myyjä" is one; the partitive of several is "myyjiä".
        return False
    if language == "en":
        return text.endswith("s") and not text.endswith("ss")
    return text.endswith(("t", "ia", "iä", "ja", "jä", "ita", "itä", "oita", "öitä"))
