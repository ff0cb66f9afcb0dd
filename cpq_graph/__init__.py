"""A Neo4j knowledge graph of finalized CPQ offers, refreshed every night, that answers questions."""
