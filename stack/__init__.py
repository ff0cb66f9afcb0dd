"""A PostgreSQL and a Neo4j on this machine, for whoever has none: no root, no Docker, no installed JVM or database."""
