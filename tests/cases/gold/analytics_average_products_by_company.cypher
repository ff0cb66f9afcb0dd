MATCH (p:Participant)<-[:RECEIVED_BY]-(o:Offer)
WHERE p.company IS NOT NULL
WITH p.company AS company, COUNT { (o)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(:Product) } AS products
RETURN company, avg(products) AS average
ORDER BY average DESC, company
