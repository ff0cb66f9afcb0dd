"""Conditions on products: features by value or number, families; each with negation.

Arrives: items with bounds. Leaves: the same with what products must be as `Condition`s. A feature that stands alone
(asked for, grouped by) stays a `FeatureRef` of one ext_id.
"""

from dataclasses import replace

from cpq_graph.query.language.compares import bound_condition, scaled, stored_names, value_condition
from cpq_graph.query.language.families import families
from cpq_graph.query.language.items import (
    Bound,
    Condition,
    FeatureRef,
    Fields,
    Item,
    Number,
    ValueRef,
    merged,
)  # fmt: skip
from cpq_graph.query.language.link import Linker
from cpq_graph.query.language.morphology import Case
from cpq_graph.query.language.offers import EXT_ID, MEASURE
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.scan import concept, means, replaced, skip
from cpq_graph.query.language.scope import Scope
from cpq_graph.query.language.tag import ending_case
from cpq_graph.query.language.tokens import fold, words_of
from cpq_graph.query.language.vocabulary import meanings, vocabulary
from cpq_graph.query.plan import Condition as PlanCondition
from cpq_graph.query.plan import (
    Exists,
    FeatureField,
    Grain,
    Not,
    RangeField,
)  # fmt: skip

_LINKS = {"cop", "cmp.exactly", "as", "have", "configured", "in", "all"}
_NOT = {"neg", "otherthan", "other"}


def products(items: list[Item], linker: Linker, language: str) -> list[Item]:
    """Every description of products as `Condition`s."""
    scope = Scope.of(items, linker, language)
    items = _measures(items, scope)
    items = families([_as_value(_implying(i, scope)) for i in items])
    items = _ranges(items, scope)
    i = 0
    while i < len(items):
        meaning = items[i].means
        taken = None
        if isinstance(meaning, FeatureRef):
            taken = _feature_first(items, i, scope)
        elif isinstance(meaning, ValueRef | Bound):
            taken = _value_first(items, i, scope)
        if taken:
            start, end, item = taken
            items = replaced(items, start, end, item)
            i = start + 1
        else:
            i += 1
    return [_alone(item, scope) for item in _configured(items, scope)]


def _as_value(item: Item) -> Item:
    """A word such as "wide" that measured nothing is the value of that name."""
    if item.concept.startswith("adj.") and item.concept.endswith(".is"):
        value = next((o for o in item.others if isinstance(o, ValueRef)), None)
        return replace(item, means=value, others=()) if value else item
    return item


def _implying(item: Item, scope: Scope) -> Item:
    """A superlative ("longest") with the feature that it implies beside it."""
    if item.concept.startswith("adj.") and item.concept.endswith((".max", ".min")):
        features = scope.narrow(scope.linker.named(item.concept.split(".")[1]))
        if len(features) == 1:
            return replace(item, others=(Fields((FeatureField(ext_id=features[0]),), Grain.PRODUCT),))
    return item


def _measures(items: list[Item], scope: Scope) -> list[Item]:
    """ "the measure of the length", "pituus measures": a feature by its number."""
    i = 0
    while i < len(items):
        meaning = items[i].means
        if isinstance(meaning, Fields) and meaning.fields == (MEASURE,):
            behind = skip(items, i + 1, {"of", "entity.parameter", "prop.extid", "for", "all"})
            at = next((k for k in (i - 1, behind) if isinstance(means(items, k), FeatureRef)), None)
            alone = [k for k, x in enumerate(items) if isinstance(x.means, FeatureRef)]
            if at is None and len({_ext_ids(items[k]) for k in alone}) == 1 and concept(items, i - 1) == "comma":
                # "The length of each product, I only need the measure"
                field = FeatureField(ext_id=scope.one(items[alone[0]], _ext_ids(items[alone[0]])), part="measure")
                for k in alone:
                    items[k] = replace(items[k], means=Fields((field,), Grain.PRODUCT))
                items = [*items[: i - 1], *items[i + 1 :]]
                continue
            ref = means(items, at) if at is not None else None
            if at is not None and isinstance(ref, FeatureRef):
                field = FeatureField(ext_id=scope.one(items[at], ref.ext_ids), part="measure")
                low, high = min(i, at), max(i, at) + 1
                items = replaced(items, low, high, merged(items, low, high, Fields((field,), Grain.PRODUCT)))
                # "(ext_id)" beside it only says how the feature is called.
                items = [k for k in items if not (isinstance(k.means, Fields) and k.means.fields == (EXT_ID,))]
                i = low
        i += 1
    return items


def _ext_ids(item: Item) -> tuple[str, ...]:
    return item.means.ext_ids if isinstance(item.means, FeatureRef) else ()


def _ranges(items: list[Item], scope: Scope) -> list[Item]:
    """ "power in 50 W ranges", "50 W power ranges", "tehon mukaan 50 watin välein": a feature by ranges."""
    at = next((k for k, i in enumerate(items) if i.concept == "range"), None)
    if at is None:
        return items
    width = next((k for k in (at - 1, at - 2, skip(items, at + 1, {"of"})) if isinstance(means(items, k), Bound)), None)
    near = [k for k in range(max(0, at - 4), min(len(items), at + 4)) if isinstance(means(items, k), FeatureRef)]
    bound = items[width].means if width is not None else None
    if not isinstance(bound, Bound) or len(bound.values) != 1 or len(near) != 1 or width is None:
        return items
    ref = items[near[0]]
    assert isinstance(ref.means, FeatureRef)  # noqa: S101 - looked for above
    ext_id = scope.one(ref, _fit(ref.means.ext_ids, bound, scope))
    if bound.unit and ext_id not in scope.linker.unit_features(bound.unit):
        return items
    ranged = RangeField(
        of=FeatureField(ext_id=ext_id, part="measure"),
        width=scaled(bound.values[0], scope.linker.factor(ext_id) if bound.unit else 1.0),
    )
    field = merged(items, near[0], near[0] + 1, Fields((ranged,), Grain.PRODUCT))
    low, high = min(width, at), max(width, at)
    dropped = {k for k in range(low, high + 1) if k != near[0]}
    dropped |= {k for k in (low - 1,) if concept(items, k) in {"in", "of"}}
    return [field if k == near[0] else i for k, i in enumerate(items) if k not in dropped]


def _configured(items: list[Item], scope: Scope) -> list[Item]:
    """ "have the feature sensor", "for which a sensor has been configured": that the product has the feature."""
    asked = {"count", "share", "count.do"} & {i.concept for i in items}
    i = 0
    while i < len(items):
        meaning = items[i].means
        start, end = i, i + 1
        if isinstance(meaning, FeatureRef) and asked:
            if concept(items, i - 1) == "entity.feature":
                start -= 1
            elif concept(items, i + 1) == "entity.feature":
                end += 1
            lacking = concept(items, skip(items, end, {"have", "cop"})) == "without"
            if lacking and end - start > 1:
                # "the feature sensor is missing"
                end = skip(items, end, {"have", "cop"}) + 1
                ext_id = scope.one(items[i], meaning.ext_ids)
                absent = Not(condition=Exists(field=FeatureField(ext_id=ext_id)))
                condition = Condition(Grain.PRODUCT, (absent,), f"feature:{ext_id}", negated=True)
                items = replaced(items, start, end, merged(items, start, end, condition))
                i = start + 1
                continue
            around = {concept(items, start - 1), concept(items, skip(items, end, {"have", "cop"}))}
            named = end - start > 1
            if named or "configured" in around or (around & {"rel"} and "have" in around):
                start = skip(items, start - 1, {"have", "cop", "configured"}, step=-1) + 1
                end = skip(items, end, {"have", "cop", "configured"})
                ext_id = scope.one(items[i], meaning.ext_ids)
                negated = concept(items, start - 1) in {"neg", "without"}
                exists = Exists(field=FeatureField(ext_id=ext_id))
                conditions: tuple[PlanCondition, ...] = (Not(condition=exists),) if negated else (exists,)
                condition = Condition(Grain.PRODUCT, conditions, f"feature:{ext_id}", negated=negated)
                items = replaced(items, start - negated, end, merged(items, start - negated, end, condition))
                i = start - negated
        i += 1
    return items


def _alone(item: Item, scope: Scope) -> Item:
    if not isinstance(item.means, FeatureRef):
        return item
    ext_id = scope.one(item, item.means.ext_ids)
    field = FeatureField(ext_id=ext_id)
    return replace(item, means=Fields((field,), Grain.PRODUCT), others=())


# -- features ----------------------------------------------------------------------------------------------------


def _feature_first(items: list[Item], i: int, scope: Scope) -> tuple[int, int, Item] | None:
    """Feature, link, value or number: "frame colour is not black", "power of at least 60 W", "teho yli 60 W"."""
    ref = items[i].means
    assert isinstance(ref, FeatureRef)  # noqa: S101 - the caller looked
    start, at, negated, other = i, i + 1, False, False
    if concept(items, i - 1) in {"neg"}:
        start, negated = i - 1, True
    while concept(items, at) in _LINKS | _NOT | {"of", "than", "value"}:
        negated = negated or concept(items, at) in _NOT
        other = other or concept(items, at) in {"otherthan", "other"}
        at += 1
    linked = {items[k].concept for k in range(i + 1, at)}
    meaning = means(items, at)
    if isinstance(meaning, Bound):
        if linked and "in" in linked:
            return None
        ext_id = scope.one(items[i], _fit(ref.ext_ids, meaning, scope))
        return start, at + 1, merged(items, start, at + 1, bound_condition(ext_id, meaning, scope, items[at], negated))
    if isinstance(meaning, Number) and meaning.unit is None and linked <= {"cop", "cmp.exactly", "of", "value"}:
        # "CRI 90", "the number of LED rows is 2"
        bound = Bound(values=(meaning.value,))
        ext_id = scope.one(items[i], ref.ext_ids)
        said = linked or items[at].text.isdigit()
        if said and (linked or concept(items, i - 1) not in {"ask", "popular", "by", "per", "each"}):
            return (
                start,
                at + 1,
                merged(items, start, at + 1, bound_condition(ext_id, bound, scope, items[at], negated)),
            )
    if isinstance(meaning, ValueRef) and ("of" not in linked or concept(items, i - 1) == "have"):
        end, refs = _listed(items, at)
        common = [e for e in ref.ext_ids if all(e in {c.ext_id for c in r.choices} for r in refs)]
        if not common:
            return None
        ext_id = scope.one(items[i], tuple(common))
        names = stored_names(refs, ext_id, items[at])
        if start == i and negated and concept(items, i - 1) == "neg":
            start = i - 1
        condition = replace(value_condition(ext_id, names, negated, scope), predicated="cop" in linked, other=other)
        return start, end, merged(items, start, end, condition)
    return None


def _fit(ext_ids: tuple[str, ...], bound: Bound, scope: Scope) -> tuple[str, ...]:
    """Of the features meant, those measured in the bound's unit."""
    if len(ext_ids) > 1 and bound.unit:
        measured = set(scope.linker.unit_features(bound.unit))
        return tuple(e for e in ext_ids if e in measured) or ext_ids
    return ext_ids


def _listed(items: list[Item], i: int) -> tuple[int, list[ValueRef]]:
    """The values from `i` on that commas, "and", "or" join."""
    refs: list[ValueRef] = []
    end = i
    while isinstance(meaning := means(items, end), ValueRef):
        refs.append(meaning)
        end += 1
        link = skip(items, end, {"comma", "and", "or", "compare"})
        if link == end or not isinstance(following := means(items, link), ValueRef):
            break
        shared = {c.ext_id for c in meaning.choices} & {c.ext_id for c in following.choices}
        if not shared:
            break
        end = link
    return end, refs


def _value_first(items: list[Item], i: int, scope: Scope) -> tuple[int, int, Item] | None:
    """Value or number, then perhaps its feature: "black frame", "wide optics", "over 60 W of power"; or alone."""
    if isinstance(items[i].means, ValueRef) and concept(items, i + 1) == "entity.offer":
        # "In any single offer": an offer has no colour; whatever is meant, it is not the value of a product.
        raise Problem("not_placed", words=(items[i].text,))
    start, negated = _value_negation(items, i)
    other = negated and items[start].concept != "neg"
    meaning = items[i].means
    if isinstance(meaning, Bound):
        return _bound_first(items, i, start, negated, meaning, scope)
    end, refs = _listed(items, i)
    shared = tuple(
        dict.fromkeys(c.ext_id for c in refs[0].choices if all(c.ext_id in {d.ext_id for d in r.choices} for r in refs))
    )
    before, after = start - 1, end
    # A feature in between belongs to the negation: "in other colours than black".
    for k in range(start, i):
        inner = items[k].means
        if isinstance(inner, FeatureRef):
            common = tuple(e for e in inner.ext_ids if e in shared)
            if common:
                shared = common
    after = skip(items, after, {"as", "for"})
    following = means(items, after)
    if isinstance(following, FeatureRef) and concept(items, before) not in {"by", "per"}:
        common = tuple(e for e in following.ext_ids if e in shared)
        if common:
            ext_id = scope.one(items[after], common)
            names = stored_names(refs, ext_id, items[i])
            return (
                start,
                after + 1,
                merged(items, start, after + 1, replace(value_condition(ext_id, names, negated, scope), other=other)),
            )
    ext_id, note = _of_value(items[i], shared, refs, scope)
    names = stored_names(refs, ext_id, items[i])
    return (
        start,
        end,
        merged(items, start, end, replace(value_condition(ext_id, names, negated, scope), other=other), note=note),
    )


def _value_negation(items: list[Item], i: int) -> tuple[int, bool]:
    start = i - 1
    while concept(items, start) in {"in", "than", "cop", "as", "configured", "have"} or (
        isinstance(means(items, start), FeatureRef) and concept(items, start - 1) in {"otherthan", "other"}
    ):
        start -= 1
    if concept(items, start) in _NOT:
        return start, True
    return i, False


def _of_value(item: Item, shared: tuple[str, ...], refs: list[ValueRef], scope: Scope) -> tuple[str, str]:
    """The feature that a bare value is of, and what was assumed."""
    if _directed(item, scope.language):
        raise Problem("not_placed", words=(item.text,))
    candidates = scope.narrow(shared)
    if len(candidates) == 1:
        return candidates[0], ""
    named = tuple(e for e in candidates if e in scope.named)
    if len(named) == 1:
        return named[0], ""
    kinds = {vocabulary().kinds.get(p) for ref in refs for c in ref.choices for n in c.names
             for w in words_of(n) for p in meanings(w)[0]} - {None}  # fmt: skip
    for kind in sorted(k for k in kinds if k):
        general = tuple(e for e in scope.linker.named(kind) if e in candidates)
        if len(general) == 1:
            return general[0], f"assumed:{general[0]}|{item.text}"
    labels = tuple(f"{scope.linker.label(e, scope.language)} {item.text}" for e in candidates)
    raise Problem("ambiguous_value", (("words", item.text),), choices=labels, span=(item.start, item.end))


def _directed(item: Item, language: str) -> bool:
    """In Finnish, whether a bare value stands in a case of place: "Ruotsiin", "Suomessa" say where, not which."""
    return language == "fi" and ending_case(fold(item.text)) in {Case.ILLATIVE, Case.INESSIVE}


def _bound_first(
    items: list[Item], i: int, start: int, negated: bool, bound: Bound, scope: Scope
) -> tuple[int, int, Item] | None:
    at = skip(items, i + 1, {"of", "in"})
    following = means(items, at)
    if isinstance(following, FeatureRef) and bound.unit not in {"€"} and concept(items, i - 1) not in {"count"}:
        fitting = _fit(following.ext_ids, bound, scope)
        measured = scope.linker.unit_features(bound.unit) if bound.unit else ()
        if bound.unit and any(e in measured for e in fitting):
            ext_id = scope.one(items[at], fitting)
            end = at + 1
            return start, end, merged(items, start, end, bound_condition(ext_id, bound, scope, items[i], negated))
    if not bound.unit or bound.unit in {"€", "pcs"}:
        return None
    candidates = scope.narrow(scope.linker.unit_features(bound.unit))
    if not candidates:
        raise Problem("no_unit", (("words", items[i].text),), words=(items[i].text,))
    named = tuple(e for e in candidates if e in scope.named)
    if len(candidates) > 1 and len(named) == 1:
        candidates = named
    note = ""
    if len(candidates) > 1:
        # Bare millimetres are a length, where the catalog has just one plain length that goes so far.
        kind = vocabulary().unit_kinds.get(bound.unit, frozenset())
        general = tuple(e for e in scope.linker.named(*kind) if e in candidates and _reaches(e, bound, scope))
        if len(general) != 1:
            labels = tuple(f"{scope.linker.label(e, scope.language)} {items[i].text}" for e in candidates)
            span = (items[i].start, items[i].end)
            raise Problem("ambiguous_value", (("words", items[i].text),), choices=labels, span=span)
        candidates, note = general, f"assumed:{general[0]}|{items[i].text}"
    condition = bound_condition(candidates[0], bound, scope, items[i], negated)
    return start, i + 1, merged(items, start, i + 1, condition, note=note)


def _reaches(ext_id: str, bound: Bound, scope: Scope) -> bool:
    feature = scope.linker.features[ext_id]
    factor = scope.linker.factor(ext_id)
    numbers = [n / factor for n in (bound.low, bound.high, *bound.values) if n is not None]
    return (
        feature.low is not None and feature.high is not None and all(feature.low <= n <= feature.high for n in numbers)
    )
