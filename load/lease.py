"""Who may write to a graph that several machines reach: a lease, kept in that graph.

Arrives: a database and a name of whoever asks. Leaves: a `Lease`, renewed for as long as the block lasts. One machine's
runs are kept apart by a file lock; runs of two machines meet nowhere but in the target. A holder that died lets go
of the lease by not renewing it, and may take its own one again at once.

The lease is a node of the state label, which is no part of the graph. Time is the server's, so that the clocks of the
machines do not matter.
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from cpq_graph.errors import BusyError, CpqGraphError, TargetError
from cpq_graph.model import MODEL
from cpq_graph.render import constraints, snake
from load.database import Database

log = logging.getLogger(__name__)

LEASE_ID = "lease"
# A holder that is gone keeps others waiting for so long; one that is alive may be out of touch for so long.
LEASE_S = 120.0
RENEWALS = 6

_STATE = MODEL.state.label
# Writing first takes the node's lock, so that two who ask at once are told one after the other.
_TAKE = f"""
MERGE (s:{_STATE} {{id: $id}}) SET s.asked_by = $holder
WITH s, datetime.realtime().epochMillis AS now
WITH s, now, s.holder <> $holder AND s.expires > now AS is_taken
FOREACH (_ IN CASE WHEN is_taken THEN [] ELSE [1] END |
    SET s.holder = $holder, s.run = $run, s.expires = now + $milliseconds)
RETURN is_taken, s.run AS run, (s.expires - now) / 1000 AS seconds
"""
_RENEW = f"""
MATCH (s:{_STATE} {{id: $id}}) WHERE s.holder = $holder AND s.run = $run
SET s.expires = datetime.realtime().epochMillis + $milliseconds
RETURN count(s) AS held
"""
_RELEASE = f"MATCH (s:{_STATE} {{id: $id}}) WHERE s.holder = $holder AND s.run = $run DELETE s"


@dataclass(slots=True)
class Lease:
    """A lease that is held, or was."""

    seconds: float
    renewed: float = field(default_factory=time.monotonic)
    lost: bool = False

    def check(self) -> None:
        """Raises TargetError when somebody else may be writing by now."""
        if self.lost or time.monotonic() - self.renewed > self.seconds:
            raise TargetError(
                "the lease on the target was lost: another run may have begun",
                hint="Was this machine asleep, or the target out of reach? See: cpq-graph status. Then run it again.",
            )


@contextmanager
def lease(database: Database, holder: str, run: str, *, seconds: float = LEASE_S) -> Iterator[Lease]:
    """Holds the lease. `holder` is the same for all runs of which a file lock lets only one live, `run` says which of
    them. Raises BusyError when another holder has it."""
    # Without the constraint two could make a node each.
    database.run(constraints()[f"{snake(_STATE)}_id_unique"])
    values = {"id": LEASE_ID, "holder": holder, "run": run, "milliseconds": int(seconds * 1000)}
    asked = time.monotonic()
    rows = database.transact(lambda tx: tx.run(_TAKE, values).data())
    if rows[0]["is_taken"]:
        raise BusyError(
            f"run {rows[0]['run']} of another machine writes to {database.uri}",
            hint=f"Wait for it. If it was killed, it stands in the way for {rows[0]['seconds']:.0f} s more.",
        )
    held = Lease(seconds, asked)
    over = threading.Event()
    renewing = threading.Thread(target=_renew, args=(database, values, held, over), name="lease", daemon=True)
    renewing.start()
    try:
        yield held
    finally:
        over.set()
        renewing.join()
        try:
            database.write(_RELEASE, values)
        except CpqGraphError as error:
            # It ends by itself; why the block ended is what matters.
            log.warning("the lease could not be given back: %s", error.message)


def _renew(database: Database, values: dict[str, object], held: Lease, over: threading.Event) -> None:
    while not over.wait(held.seconds / RENEWALS):
        asked = time.monotonic()
        try:
            rows = database.transact(lambda tx: tx.run(_RENEW, values).data())
        except CpqGraphError as error:
            log.warning("the lease could not be renewed: %s", error.message)
            continue
        if not rows[0]["held"]:
            held.lost = True
            return
        held.renewed = asked
