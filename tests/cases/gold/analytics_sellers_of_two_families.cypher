MATCH (s:Participant)<-[:SENT_BY]-(o:Offer)
WHERE EXISTS { (o)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(:Product)-[:CONFIGURED_AS]->(:ProductFamily {name: 'Aura'}) }
  AND EXISTS { (o)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(:Product)-[:CONFIGURED_AS]->(:ProductFamily {name: 'SNEP® MODE P'}) }
RETURN s.name AS seller, count(o) AS offers
ORDER BY offers DESC, seller
