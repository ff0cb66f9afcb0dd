MATCH (x:Participant)
WHERE COUNT { MATCH (x)<-[:SENT_BY|DELIVERED_BY|RECEIVED_BY]-(o:Offer) RETURN DISTINCT o } >= $atLeast
  AND (x.name IS NOT NULL OR x.company IS NOT NULL)
RETURN DISTINCT x.name AS participant, x.company AS company
ORDER BY participant, company
