"""The stage that puts frames into Neo4j: CSVs, bulk import, indexes, checks, context artifacts, switch."""
