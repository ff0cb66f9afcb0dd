"""Connected patterns that no graph of the schema can hold, and which turned arrows would mend them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.labels import Edge, Inference, narrowed
from cpq_graph.query.check.tree import RelationshipPattern

_TRIES_MAX = 3000


@dataclass(frozen=True, slots=True)
class Conflict:
    """Edges that together leave some node no label. `turns` are the smallest sets of arrows to turn, found first."""

    inference: Inference
    edges: tuple[Edge, ...]
    turns: tuple[tuple[Edge, ...], ...]


def conflicts(context: Context) -> Iterator[Conflict]:
    """The conflicts of every region. Edges at labels and types that the schema lacks are left to other rules."""
    for inference in context.inferences.values():
        edges = [edge for edge in inference.edges if _is_known(context, edge, inference)]
        groups = [[edge] for edge in edges] if not context.schema.single_label else _components(edges)
        for group in groups:
            if not consistent(inference, group):
                yield Conflict(inference, tuple(group), tuple(_turns(inference, group)))


def consistent(inference: Inference, edges: list[Edge], turned: tuple[Edge, ...] = ()) -> bool:
    """Whether labels are left for every node, with these arrows turned."""
    pairs = [(edge.left, edge.right, edge.turned if edge in turned else edge.pairs) for edge in edges]
    return narrowed(inference.domains, pairs) is not None


def _is_known(context: Context, edge: Edge, inference: Inference) -> bool:
    if edge.left in inference.unknown or edge.right in inference.unknown:
        return False
    return not isinstance(edge.pattern, RelationshipPattern) or bool(context.types_of(edge.pattern))


def _components(edges: list[Edge]) -> list[list[Edge]]:
    groups: list[list[Edge]] = []
    for edge in edges:
        touching = [group for group in groups if any({edge.left, edge.right} & {one.left, one.right} for one in group)]
        joined = [edge]
        for group in touching:
            joined = [*group, *joined]
            groups.remove(group)
        groups.append(joined)
    return [sorted(group, key=edges.index) for group in groups]


def _turns(inference: Inference, edges: list[Edge]) -> list[tuple[Edge, ...]]:
    """The smallest sets of turned arrows that leave every node a label; all of the smallest size."""
    candidates = [edge for edge in edges if edge.directed]
    tries = 0
    for size in range(1, len(candidates) + 1):
        found: list[tuple[Edge, ...]] = []
        for chosen in combinations(candidates, size):
            tries += 1
            if tries > _TRIES_MAX:
                return []
            if consistent(inference, edges, chosen):
                found.append(chosen)
        if found:
            return found
    return []
