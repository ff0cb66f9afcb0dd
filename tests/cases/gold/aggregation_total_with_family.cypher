MATCH (o:Offer)-[:CONTAINS]->(c:Content)
WHERE EXISTS { (c)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(:Product)-[:CONFIGURED_AS]->(:ProductFamily {name: 'Aura'}) }
RETURN count(o) AS offers, sum(c.total_price) AS total
