MATCH (p:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
WHERE f.total_cost > 10
RETURN p.id, f.name, f.product_code
ORDER BY p.id
