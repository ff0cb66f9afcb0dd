"""Small questions that the grammar asks of a row of items."""

from collections.abc import Container

from cpq_graph.query.language.items import Item, Meaning


def concept(items: list[Item], i: int) -> str:
    """The concept at `i`, or "" for another item and beyond the ends."""
    return items[i].concept if 0 <= i < len(items) else ""


def means(items: list[Item], i: int) -> Meaning | None:
    """The meaning at `i`, or None beyond the ends."""
    return items[i].means if 0 <= i < len(items) else None


def skip(items: list[Item], i: int, concepts: Container[str], *, step: int = 1) -> int:
    """The first position from `i` whose concept is none of these."""
    while 0 <= i < len(items) and items[i].concept and items[i].concept in concepts:
        i += step
    return i


def replaced(items: list[Item], i: int, j: int, *new: Item) -> list[Item]:
    """The items with [i, j) replaced."""
    return [*items[:i], *new, *items[j:]]
