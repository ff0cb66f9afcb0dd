// Two roles for Neo4j Enterprise, and for Aura plans that have roles: one that reads, for the engine (`ask`, `serve`,
// `mcp`, `query`, `eval`), and one that loads, for `refresh`, `verify` and `context build`. Run it in the database
// `system`, with the passwords as parameters:
//   cypher-shell -d system -P "{reader_password: '…', loader_password: '…'}" -f cypher/roles/enterprise.cypher
// Community has no roles: docs/security.md says what holds there.

CREATE ROLE cpq_reader IF NOT EXISTS;
GRANT ACCESS ON DATABASE neo4j TO cpq_reader;
GRANT MATCH {*} ON GRAPH neo4j ELEMENTS * TO cpq_reader;
GRANT SHOW INDEX ON DATABASE neo4j TO cpq_reader;
GRANT SHOW CONSTRAINT ON DATABASE neo4j TO cpq_reader;
GRANT EXECUTE PROCEDURES db.index.fulltext.queryNodes, dbms.components ON DBMS TO cpq_reader;
GRANT EXECUTE PROCEDURES db.labels, db.propertyKeys, db.relationshipTypes, db.schema.* ON DBMS TO cpq_reader;
// A denial wins over whatever PUBLIC, or another role of the same user, is granted.
DENY WRITE ON GRAPH neo4j TO cpq_reader;
DENY LOAD ON ALL DATA TO cpq_reader;
DENY EXECUTE ADMIN PROCEDURES ON DBMS TO cpq_reader;
DENY EXECUTE BOOSTED PROCEDURES * ON DBMS TO cpq_reader;

CREATE ROLE cpq_loader IF NOT EXISTS;
GRANT ACCESS ON DATABASE neo4j TO cpq_loader;
GRANT MATCH {*} ON GRAPH neo4j ELEMENTS * TO cpq_loader;
GRANT WRITE ON GRAPH neo4j TO cpq_loader;
// New labels, relationship types and property names; indexes and constraints; all of this one database.
GRANT NAME MANAGEMENT ON DATABASE neo4j TO cpq_loader;
GRANT INDEX MANAGEMENT ON DATABASE neo4j TO cpq_loader;
GRANT CONSTRAINT MANAGEMENT ON DATABASE neo4j TO cpq_loader;
GRANT EXECUTE PROCEDURES db.index.fulltext.queryNodes, dbms.components ON DBMS TO cpq_loader;
GRANT EXECUTE PROCEDURES db.labels, db.propertyKeys, db.relationshipTypes, db.schema.* ON DBMS TO cpq_loader;
DENY LOAD ON ALL DATA TO cpq_loader;
DENY EXECUTE ADMIN PROCEDURES ON DBMS TO cpq_loader;
DENY EXECUTE BOOSTED PROCEDURES * ON DBMS TO cpq_loader;

CREATE USER cpq_reader IF NOT EXISTS SET PASSWORD $reader_password CHANGE NOT REQUIRED;
CREATE USER cpq_loader IF NOT EXISTS SET PASSWORD $loader_password CHANGE NOT REQUIRED;
GRANT ROLE cpq_reader TO cpq_reader;
GRANT ROLE cpq_loader TO cpq_loader;
