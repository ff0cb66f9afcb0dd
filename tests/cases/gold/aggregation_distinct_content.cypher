MATCH (o:Offer)-[:CONTAINS]->(c:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
WHERE f.name STARTS WITH 'SNEP'
WITH DISTINCT o, c
RETURN sum(c.total_price) AS total
