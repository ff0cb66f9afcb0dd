// Neo4j Community has users and no roles: whoever may log in may do all. Users of their own still tell in the logs who
// did what, and let one be shut out without the other. Run it in the database `system`, as enterprise.cypher; what
// bounds them is in docs/security.md.

CREATE USER cpq_reader IF NOT EXISTS SET PASSWORD $reader_password CHANGE NOT REQUIRED;
CREATE USER cpq_loader IF NOT EXISTS SET PASSWORD $loader_password CHANGE NOT REQUIRED;
