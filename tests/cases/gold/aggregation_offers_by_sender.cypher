MATCH (o:Offer)-[:SENT_BY]->(p:Participant)
RETURN p.name AS sender, count(o) AS offers
ORDER BY offers DESC, sender
