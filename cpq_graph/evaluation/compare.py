"""Whether an answer's rows are the gold ones, as values.

Arrives: a gold answer, rows as an engine returns them. Leaves: yes or no. Column names do not count; order does where
the question asks for it; duplicates do; floats agree to a relative 1e-6. A column that the question did not ask for
is allowed when the gold answer has it too, with the same values in the same rows, or when it repeats one thing that
the question named.
"""

import bisect
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import product
from typing import Any

from cpq_graph.evaluation.gold import Gold

TOLERANCE = 1e-6
_COLUMNS_MAX = 20


def agrees(gold: Gold, rows: Sequence[Mapping[str, Any]], constants: Sequence[str | float] = ()) -> bool:
    """Whether the rows are the gold ones. `constants` are what the question named."""
    if len(rows) != gold.frame.height:
        return False
    if not rows:
        return True
    names = list(rows[0])
    if len(names) > _COLUMNS_MAX:
        return False
    answer = {name: [_plain(row[name]) for row in rows] for name in names}
    right = {name: [_plain(value) for value in gold.frame[name]] for name in gold.frame.columns}
    # Per column of the answer, the gold columns it could be, with both sides' values as classes of equal values.
    fits = {name: _fits(values, right) for name, values in answer.items()}
    blocks = _blocks(gold)
    return any(
        _joint(assigned, fits, blocks, len(rows))
        for required in product(*(column.split("|") for column in gold.columns))
        for assigned in _assignments(names, fits, [n for way in required for n in way.split("+")], answer, constants)
    )


_Classes = tuple[list[int], list[int]]


def _fits(values: list[Any], right: dict[str, list[Any]]) -> dict[str, _Classes]:
    return {name: classes for name, gold in right.items() if (classes := _classes(values, gold)) is not None}


def _classes(values: list[Any], gold: list[Any]) -> _Classes | None:
    """Numbers for equal values, the answer's and the gold's; None when the two do not hold the same values."""
    numbers: list[float] = []
    for number in sorted(v for v in gold if isinstance(v, float)):
        if not numbers or not _close(number, numbers[-1]):
            numbers.append(number)
    texts = {text: -1 - n for n, text in enumerate(dict.fromkeys(v for v in gold if not isinstance(v, float)))}

    def number_of(value: Any) -> int | None:
        if not isinstance(value, float):
            return texts.get(value)
        place = bisect.bisect_left(numbers, value)
        near = [n for n in (place - 1, place) if 0 <= n < len(numbers) and _close(value, numbers[n])]
        return near[0] if near else None

    mine, theirs = [number_of(v) for v in values], [number_of(v) for v in gold]
    if Counter(mine) != Counter(theirs):
        return None
    return [m for m in mine if m is not None], [t for t in theirs if t is not None]


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1e-9)


def _plain(value: Any) -> Any:
    """Numbers as floats, days as ISO text, all else as it is; what cannot be compared is equal to nothing."""
    match value:
        case bool() | None | str():
            return value
        case int() | float():
            return float(value) if math.isfinite(value) else object()
        case date():
            return value.isoformat()
    return str(value)


def _blocks(gold: Gold) -> list[int]:
    """Sizes of the runs of gold rows that are equal in the order columns; one run where order does not count."""
    if not gold.order:
        return [gold.frame.height]
    sizes: list[int] = []
    before: object = None
    for key in gold.frame.select(gold.order).iter_rows():
        if sizes and key == before:
            sizes[-1] += 1
        else:
            sizes.append(1)
        before = key
    return sizes


def _assignments(
    names: list[str],
    fits: dict[str, dict[str, _Classes]],
    required: list[str],
    answer: dict[str, list[Any]],
    constants: Sequence[str | float],
) -> Iterator[dict[str, str]]:
    """Which gold column each answer's column is: every required one exactly one, the rest any other or a constant."""
    known = {_plain(constant) for constant in constants}

    def place(left: list[str], taken: dict[str, str]) -> Iterator[dict[str, str]]:
        if not left:
            if set(required) <= set(taken.values()):
                yield taken
            return
        name, *rest = left
        for column in fits[name]:
            if column not in taken.values():
                yield from place(rest, taken | {name: column})
        if len(set(answer[name])) == 1 and answer[name][0] in known:
            yield from place(rest, taken)

    yield from place(names, {})


def _joint(assigned: dict[str, str], fits: dict[str, dict[str, _Classes]], blocks: list[int], height: int) -> bool:
    """Whether the rows agree as wholes, run by run."""
    mine = list(zip(*(fits[name][column][0] for name, column in assigned.items()), strict=True)) or [()] * height
    theirs = list(zip(*(fits[name][column][1] for name, column in assigned.items()), strict=True)) or [()] * height
    start = 0
    for size in blocks:
        if Counter(mine[start : start + size]) != Counter(theirs[start : start + size]):
            return False
        start += size
    return True
