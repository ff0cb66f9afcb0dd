"""Checking Cypher against any Neo4j that answers: its own schema, its own values, its own EXPLAIN.

Arrives: a query and an address. Leaves: a `Checked`; nothing is run.
"""

from neo4j.exceptions import DriverError, Neo4jError

from cpq_graph.bolt import open_driver, unreachable
from cpq_graph.query.check import Checked, check
from cpq_graph.query.check.explain import explained
from cpq_graph.query.check.live import live_schema
from cpq_graph.query.check.lookup import GraphLookup
from cpq_graph.servers import Address


def check_live(cypher: str, address: Address, password: str = "") -> Checked:
    """Checks a query for the database at `address`, whatever it holds. Raises TargetError when it does not answer."""
    try:
        with open_driver(address, password) as driver:
            schema = live_schema(driver, database=address.database)
            lookup = GraphLookup(driver, schema, database=address.database)
            return explained(driver, check(cypher, schema, lookup=lookup), database=address.database)
    except (DriverError, Neo4jError) as error:
        raise unreachable(address, error) from None
