MATCH (o:Offer)-[:CONTAINS]->(c:Content)-[:CONTAINS]->(s:Subcontent)
WHERE EXISTS { (s)-[:CONTAINS]->(:Product)-[:CONFIGURED_AS]->(:ProductFamily {name: 'SNEP® MODE P'}) }
  AND NOT EXISTS { (s)-[:CONTAINS]->(:Product)-[:CONFIGURED_AS]->(f:ProductFamily) WHERE f.name <> 'SNEP® MODE P' }
RETURN count(o) AS offers, sum(c.total_price) AS total
