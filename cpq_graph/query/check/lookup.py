"""Where a live graph holds a text: which label and property. What the rule about misplaced values asks."""

import logging
from functools import lru_cache
from typing import TYPE_CHECKING

from neo4j import READ_ACCESS, Query
from neo4j.exceptions import Neo4jError

from cpq_graph.query.check.kinds import plain
from cpq_graph.query.check.routes import quote
from cpq_graph.query.check.schema import GraphSchema

if TYPE_CHECKING:
    from neo4j import Driver

log = logging.getLogger(__name__)

_TIMEOUT_SECONDS = 5.0


class GraphLookup:
    """Asks a live graph, and remembers. Only text properties of the schema are looked at: indexed ones answer at once,
    others after a scan of their label, so name the `properties` worth asking where the graph is large."""

    def __init__(
        self,
        driver: "Driver",
        schema: GraphSchema,
        *,
        database: str | None = None,
        properties: frozenset[tuple[str, str]] | None = None,
    ) -> None:
        self._driver = driver
        self._database = database
        self._properties = tuple(
            (label, key)
            for label, keys in sorted(schema.labels.items())
            for key, kind in sorted(keys.items())
            if plain(kind) == "STRING" and (properties is None or (label, key) in properties)
        )
        self.places = lru_cache(maxsize=1_000)(self._places)

    def _places(self, value: str) -> tuple[tuple[str, str], ...]:
        """The (label, property) pairs under which a node holds exactly this text, sorted; none when the server does not
        say in time, so that a slow server never refuses a right query."""
        if not self._properties:
            return ()
        # Names come from the schema and are quoted; the text is a parameter.
        branches = [
            f"MATCH (n:{quote(label)} {{{quote(key)}: $value}}) RETURN {index} AS place LIMIT 1"
            for index, (label, key) in enumerate(self._properties)
        ]
        cypher = " UNION ALL ".join(branches)
        try:
            with self._driver.session(database=self._database, default_access_mode=READ_ACCESS) as session:
                rows = session.run(Query(cypher, timeout=_TIMEOUT_SECONDS), value=value).values()
        except Neo4jError as error:
            log.warning("looking for a value took too long or failed: %s", error.message)
            return ()
        return tuple(sorted(self._properties[row[0]] for row in rows))
