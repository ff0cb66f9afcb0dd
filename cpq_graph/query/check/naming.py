"""Which property stands for a node when it is shown."""

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.scopes import Symbol

_NAMES = ("name", "title", "label")


def display_property(  # noqa: PLR0911 - one return a choice
    context: Context, symbol: Symbol, *, names_only: bool = False
) -> str | None:
    """Its name or else its id, when every label that the node can have has it; None when nothing tells."""
    if symbol.root.kind != "node" or symbol.root not in context.labels:
        return None
    labels = context.labels_of(symbol)
    if not labels or len(labels) == len(context.schema.labels) > 1:
        return None
    shared = set.intersection(*(set(context.schema.labels[label]) for label in labels))
    for name in _NAMES:
        if name in shared:
            return name
    named = sorted(one for one in shared if one.lower().endswith(("name", "title")))
    if len(named) == 1:
        return named[0]
    if names_only:
        return None
    if "id" in shared:
        return "id"
    ids = sorted(one for one in shared if one.lower().endswith("id"))
    return ids[0] if len(ids) == 1 else None
