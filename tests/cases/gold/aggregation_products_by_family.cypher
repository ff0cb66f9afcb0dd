MATCH (p:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
RETURN f.name AS family, count(DISTINCT p) AS products
ORDER BY products DESC, family
