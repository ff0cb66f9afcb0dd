MATCH (o:Offer {id: 'O2'})-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
RETURN DISTINCT f.name AS family
ORDER BY family
