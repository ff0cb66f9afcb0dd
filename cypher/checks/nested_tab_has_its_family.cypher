// A tab inside a tab hangs on the family that its outer tab hangs on.
MATCH (outer:Tab)-[:HAS_CHILD]->(inner:Tab)
WHERE NOT EXISTS { (outer)<-[:HAS_TAB]-(:ProductFamily)-[:HAS_TAB]->(inner) }
RETURN outer.id, inner.id LIMIT 100
