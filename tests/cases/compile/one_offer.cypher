MATCH (o:Offer)
MATCH (o)-[:SENT_BY]->(sentBy:Participant)
WHERE o.id = $offer
  AND (sentBy.name IS NOT NULL OR sentBy.company IS NOT NULL)
RETURN DISTINCT sentBy.name AS sender, sentBy.company AS company
ORDER BY sender, company
