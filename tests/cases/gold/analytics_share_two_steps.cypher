MATCH (o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)
WITH count(p) AS total
MATCH (o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(q:Product)
WHERE o.status = 'SOLD'
WITH total, count(q) AS sold
RETURN 100.0 * sold / total AS percent
