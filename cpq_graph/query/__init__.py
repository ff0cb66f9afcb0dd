"""The query engine: words → plan → Cypher → checked → run → said."""
