MATCH (p:Product)
WITH count(p) AS total
MATCH (q:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
WHERE f.name = 'Aura'
WITH total, count(DISTINCT q) AS aura
RETURN round(100.0 * aura / total, 2) AS percent
