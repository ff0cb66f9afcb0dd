"""Feature values and bounds as conditions of the plan.

Arrives: a feature with values or a bound, as linked. Leaves: conditions on the stored values and measures, numbers
in the feature's own unit.
"""

from cpq_graph.query.language.items import Bound, Choice, Condition, Item, ValueRef
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.scope import Scope
from cpq_graph.query.plan import AnyOf, Compare, Exists, FeatureField, Grain, Not, Operator, PropertyField
from cpq_graph.query.plan import Condition as PlanCondition


def stored_names(refs: list[ValueRef], ext_id: str, item: Item) -> tuple[str, ...]:
    """The stored names of one feature's values. A part of a name that fits several is asked back."""
    names: list[str] = []
    for ref in refs:
        choice = next((c for c in ref.choices if c.ext_id == ext_id), Choice(ext_id, ()))
        if not item.exact and len(choice.names) > 1:
            raise Problem("ambiguous_value", (("words", item.text),), choices=choice.names, span=(item.start, item.end))
        names += choice.names
    return tuple(sorted(dict.fromkeys(names)))


def value_condition(ext_id: str, names: tuple[str, ...], negated: bool, scope: Scope) -> Condition:
    """The condition that a feature has one of the values, or has another one. Raises Problem with what there is when
    the families named never have it."""
    own = scope.choices(ext_id)
    if own and not set(names) & set(own):
        label = scope.linker.label(ext_id, scope.language)
        raise Problem(
            "not_chosen", (("feature", label), ("choices", ", ".join(own[:12])), ("value", names[0])), words=()
        )
    field = FeatureField(ext_id=ext_id)
    compare = Compare(field=field, operator=Operator.EQUAL if len(names) == 1 else Operator.IN, values=names)
    # Only products that have the feature can be "not black".
    conditions: tuple[PlanCondition, ...] = (Exists(field=field), Not(condition=compare)) if negated else (compare,)
    return Condition(Grain.PRODUCT, conditions, f"feature:{ext_id}", negated=negated)


def bound_condition(ext_id: str, bound: Bound, scope: Scope, item: Item, negated: bool) -> Condition:
    """The condition that a feature's measure lies within a bound."""
    feature = scope.linker.features[ext_id]
    if feature.low is None:
        label = scope.linker.label(ext_id, scope.language)
        raise Problem("not_a_number", (("feature", label), ("words", item.text)), words=(item.text,))
    if bound.unit:
        if ext_id not in scope.linker.unit_features(bound.unit):
            label = scope.linker.label(ext_id, scope.language)
            raise Problem("wrong_unit", (("feature", label), ("words", item.text)), words=(item.text,))
        factor = scope.linker.factor(ext_id)
    else:
        factor = 1.0
    field = FeatureField(ext_id=ext_id, part="measure")
    compares = bound_compares(field, bound, factor)
    if negated:
        whole: PlanCondition = compares[0] if len(compares) == 1 else AnyOf(conditions=compares)
        if len(compares) == 1 and isinstance(compares[0], Compare) and compares[0].operator in _INVERSE:
            inverse = compares[0].model_copy(update={"operator": _INVERSE[compares[0].operator]})
            return Condition(Grain.PRODUCT, (inverse,), f"feature:{ext_id}", negated=True)
        if len(compares) > 1:
            raise Problem("too_complex", words=(item.text,))
        return Condition(Grain.PRODUCT, (Exists(field=field), Not(condition=whole)), f"feature:{ext_id}", negated=True)
    return Condition(Grain.PRODUCT, compares, f"feature:{ext_id}")


_INVERSE = {
    Operator.MORE: Operator.AT_MOST, Operator.LESS: Operator.AT_LEAST,
    Operator.AT_LEAST: Operator.LESS, Operator.AT_MOST: Operator.MORE,
}  # fmt: skip


def bound_compares(field: FeatureField | PropertyField, bound: Bound, factor: float = 1.0) -> tuple[PlanCondition, ...]:
    """A bound as compares of a field; numbers are divided by `factor`, which brings them to the field's unit."""
    if bound.values:
        values = tuple(scaled(v, factor) for v in bound.values)
        return (Compare(field=field, operator=Operator.EQUAL if len(values) == 1 else Operator.IN, values=values),)
    found: list[PlanCondition] = []
    if bound.low is not None:
        operator = Operator.MORE if bound.low_open else Operator.AT_LEAST
        found.append(Compare(field=field, operator=operator, values=(scaled(bound.low, factor),)))
    if bound.high is not None:
        operator = Operator.LESS if bound.high_open else Operator.AT_MOST
        found.append(Compare(field=field, operator=operator, values=(scaled(bound.high, factor),)))
    return tuple(found)


def scaled(value: float, factor: float) -> float:
    """A number brought to a unit."""
    # 2.1 kg must stay 2.1, not 2.1000000000000001: thousandths of thousandths are enough for any catalog.
    return float(round(value / factor, 9))
