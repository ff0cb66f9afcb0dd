"""Constraints and indexes of a freshly loaded graph.

Arrives: a database. Leaves: every constraint, range index and full-text index of the model, online.
"""

import time
from collections.abc import Callable

from cpq_graph.errors import TargetError
from cpq_graph.model import MODEL, Model
from cpq_graph.render import constraints, full_text_indexes, range_indexes
from load.database import Database

# (indexes that are online, indexes in all, per cent of the population of all of them)
Progress = Callable[[int, int, float], None]


def create_schema(
    database: Database, *, progress: Progress | None = None, timeout_s: float = 3600, model: Model = MODEL
) -> None:
    """Creates what is missing and waits until all of it is online. Raises TargetError that names the index that failed
    and why, or the ones that are not ready in time."""
    indexes = {**range_indexes(model), **full_text_indexes(model)}
    for statement in indexes.values():
        database.run(statement)
    for name, statement in constraints(model).items():
        try:
            database.run(statement)
        except TargetError as error:
            raise TargetError(
                f"constraint {name} cannot be created: {error.message}",
                hint="The graph holds what the constraint forbids; it is not served.",
            ) from error
    _await(database, {*indexes, *constraints(model)}, progress, timeout_s)


def _await(database: Database, expected: set[str], progress: Progress | None, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    pause = 0.05
    while True:
        found = {
            str(row["name"]): row
            for row in database.run(
                "SHOW INDEXES YIELD name, state, populationPercent, failureMessage "
                "RETURN name, state, populationPercent, failureMessage"
            )
            if row["name"] in expected
        }
        for name, row in found.items():
            if row["state"] == "FAILED":
                raise TargetError(f"index {name} failed: {str(row['failureMessage']).strip().splitlines()[0]}")
        online = {name for name, row in found.items() if row["state"] == "ONLINE"}
        if progress:
            percents = [float(row["populationPercent"]) for row in found.values()]
            progress(len(online), len(expected), sum(percents) / max(1, len(expected)))
        if online == expected:
            return
        if time.monotonic() > deadline:
            missing = ", ".join(sorted(expected - online))
            raise TargetError(f"after {timeout_s:.0f} s these indexes are not online: {missing}")
        time.sleep(pause)
        pause = min(1.0, pause * 1.5)
