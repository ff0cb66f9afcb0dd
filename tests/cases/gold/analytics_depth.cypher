MATCH (p:Product)-[:CONFIGURED_AS]->(:ProductFamily)-[:HAS_CHILD*0..3]->(f:ProductFamily)
RETURN p.id AS product, count(f) AS families
ORDER BY families DESC, product
LIMIT 5
