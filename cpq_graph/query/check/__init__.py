"""Checks Cypher from anyone before it runs: one way to the database, for compiler, models and people alike.

`check` takes a text and a `GraphSchema` and gives a `Checked`: OK, REPAIRED (with what was changed) or REFUSED (with
why, and where). What it calls OK or REPAIRED may be run; `check.explain` then asks the server itself.
"""

from cpq_graph.query.check.context import ValueLookup
from cpq_graph.query.check.findings import Checked, Finding
from cpq_graph.query.check.pipeline import check
from cpq_graph.query.check.schema import GraphSchema, Triple, schema_of

__all__ = ["Checked", "Finding", "GraphSchema", "Triple", "ValueLookup", "check", "schema_of"]
