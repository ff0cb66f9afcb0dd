MATCH (f:ProductFamily)-[:HAS_CHILD]->(c:ProductFamily)
RETURN f.name AS family, c.name AS nested, count(*) AS times
ORDER BY family, nested
