MATCH (o:Offer)-[:RECEIVED_BY]->(p:Participant)
WHERE o.date = date('2024-03-31')
RETURN o.id, p.name
ORDER BY o.id
