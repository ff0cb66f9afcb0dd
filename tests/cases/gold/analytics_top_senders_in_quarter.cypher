MATCH (o:Offer)-[:SENT_BY]->(p:Participant)
WHERE o.date.year = 2024 AND o.date.quarter = 1
WITH p.name AS sender, count(o) AS offers
ORDER BY offers DESC, sender
LIMIT 3
RETURN sender, offers
