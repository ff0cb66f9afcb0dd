MATCH (o:Offer)
MATCH (o)-[:RECEIVED_BY]->(receivedBy:Participant)
WHERE o.date >= $from AND o.date <= $to
  AND receivedBy.company IS NOT NULL
OPTIONAL MATCH (o)-[:CONTAINS]->(c:Content)
RETURN receivedBy.company AS company, count(o) AS offers, sum(c.total_price) AS `total price`
ORDER BY offers DESC, company
LIMIT $top
