"""Plans into parameterised Cypher 5.

Arrives: a `Plan`. Leaves: a `Query` with its columns. Nothing that a user typed becomes part of the Cypher.
"""

from cpq_graph.query.compile.columns import Column
from cpq_graph.query.compile.expressions import Kind
from cpq_graph.query.compile.statement import Query, compile_plan
from cpq_graph.query.compile.validate import validate

__all__ = ["Column", "Kind", "Query", "compile_plan", "validate"]
