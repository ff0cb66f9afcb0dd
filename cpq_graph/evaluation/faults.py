"""Fault injection: what the checker makes of the faults that language models make, measured without a model.

Arrives: gold queries, a schema, and a live graph to run on. Leaves: for each kind of fault the share that the checker
repairs to the right answer, refuses, and lets through wrong; and whether it left every right query as it was.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, Literal

from cpq_graph.evaluation.fault_kinds import KINDS, Fault, Gold, inject
from cpq_graph.query.check import Checked, GraphSchema, ValueLookup, check

Row = Sequence[Any]
# Runs a query that the checker let through; raises when the server refuses it.
Run = Callable[[str, Mapping[str, Any]], list[Row]]
Outcome = Literal["repaired", "refused", "wrong", "harmless"]
OUTCOMES: tuple[Outcome, ...] = ("repaired", "refused", "wrong", "harmless")


@dataclass(frozen=True, slots=True)
class Judged:
    """A fault and what became of it. "harmless": the faulty query gives the right answer on this graph unrepaired."""

    fault: Fault
    checked: Checked
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class FaultReport:
    """All faults judged, and the right queries that were not left as they were."""

    judged: tuple[Judged, ...]
    changed: tuple[tuple[Gold, Checked], ...]
    right: int

    def counts(self, kind: str) -> Counter[Outcome]:
        """How many faults of a kind came out how."""
        return Counter(one.outcome for one in self.judged if one.fault.kind == kind)

    def share(self, kind: str, *outcomes: Outcome) -> float:
        """The share of a kind's faults with these outcomes, of those that were not harmless; 1 when there are none."""
        counts = self.counts(kind)
        total = sum(counts.values()) - counts["harmless"]
        return sum(counts[one] for one in outcomes) / total if total else 1.0

    def to_markdown(self) -> str:
        """A table, one row a kind."""
        lines = [
            "| fault | faults | repaired | refused | let through wrong | no harm |",
            "|---|---:|---:|---:|---:|---:|",
        ]
        for kind in KINDS:
            counts = self.counts(kind)
            total = sum(counts.values()) - counts["harmless"]
            if not total:
                continue
            shares = " | ".join(f"{counts[one]} ({counts[one] / total:.1%})" for one in OUTCOMES[:3])
            lines.append(f"| {kind} | {total} | {shares} | {counts['harmless']} |")
        lines.append("")
        lines.append(f"Of {self.right} right queries, {len(self.changed)} changed or refused.")
        return "\n".join(lines) + "\n"


def fault_report(
    golds: Iterable[Gold], schema: GraphSchema, run: Run, *, lookup: ValueLookup | None = None
) -> FaultReport:
    """Injects every fault into every gold query, checks each, and runs what the checker lets through."""
    judged: list[Judged] = []
    changed: list[tuple[Gold, Checked]] = []
    queries = list(golds)
    for gold in queries:
        as_it_is = check(gold.cypher, schema, lookup=lookup)
        if as_it_is.status != "OK" or as_it_is.cypher != gold.cypher:
            changed.append((gold, as_it_is))
        right = run(gold.cypher, gold.parameters)
        for fault in inject(gold):
            checked = check(fault.cypher, schema, lookup=lookup)
            judged.append(Judged(fault, checked, _outcome(checked, right, run, gold)))
    return FaultReport(tuple(judged), tuple(changed), len(queries))


def _outcome(checked: Checked, right: list[Row], run: Run, gold: Gold) -> Outcome:
    if not checked.runnable:
        return "refused"
    try:
        rows = run(checked.cypher, gold.parameters)
    except Exception:
        return "refused"
    if not same_rows(rows, right):
        return "wrong"
    return "repaired" if checked.status == "REPAIRED" else "harmless"


def same_rows(found: list[Row], right: list[Row]) -> bool:
    """Whether two results hold the same rows, in any order, floats to a relative 1e-9."""
    if len(found) != len(right):
        return False
    ordered = sorted(found, key=_key), sorted(right, key=_key)
    return all(len(a) == len(b) and all(map(_same, a, b)) for a, b in zip(*ordered, strict=True))


def _key(row: Row) -> str:
    return repr([f"{value:.6g}" if isinstance(value, float) else value for value in row])


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, float) or isinstance(right, float):
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        return numbers and isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)
    return bool(left == right)
