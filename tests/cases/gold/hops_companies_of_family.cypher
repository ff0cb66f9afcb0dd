MATCH (p:Participant)<-[:RECEIVED_BY]-(o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
WHERE f.name = 'SNEP® MODE P'
RETURN DISTINCT p.company AS company
ORDER BY company
