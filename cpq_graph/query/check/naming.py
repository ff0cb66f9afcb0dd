"""Which property stands for a node when it is shown."""

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.nearest import words
from cpq_graph.query.check.scopes import Symbol

_NAMES = frozenset({"name", "title"})
_IDS = frozenset({"id"})


def display_property(context: Context, symbol: Symbol, *, names_only: bool = False) -> str | None:
    """Its name or else its id, when every label that the node can have has it; None when nothing tells."""
    if symbol.root.kind != "node" or symbol.root not in context.labels:
        return None
    labels = context.labels_of(symbol)
    if not labels or len(labels) == len(context.schema.labels) > 1:
        return None
    shared = sorted(set.intersection(*(set(context.schema.labels[label]) for label in labels)))
    known = words(next(iter(labels))) if len(labels) == 1 else frozenset()
    names = [one for one in shared if words(one) & _NAMES]
    ids = [one for one in shared if words(one) & _IDS]
    # A name of its own, one by its label (productName), an id by its label (orderID), the only name, an id.
    choices = [
        [one for one in names if one == "name"],
        [one for one in names if one == "title"],
        [one for one in names if words(one) - _NAMES <= known],
        [] if names_only else [one for one in ids if words(one) != _IDS and words(one) - _IDS <= known],
        [one for one in names if one.lower().endswith(tuple(_NAMES))],
        [] if names_only else [one for one in ids if words(one) == _IDS] or ids,
    ]
    return next((found[0] for found in choices if len(found) == 1), None)
