MATCH (p:Participant)<-[:RECEIVED_BY]-(o:Offer)-[:CONTAINS]->(c:Content)
WHERE date('2024-01-01') <= o.date <= date('2024-06-30') AND p.company IS NOT NULL
RETURN p.company AS company, count(o) AS offers, sum(c.total_price) AS total
ORDER BY offers DESC, total DESC, company
LIMIT 5
