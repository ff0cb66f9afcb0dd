MATCH (o:Offer)
WHERE o.id = $offer
RETURN o.status, o.language_id
// params: {"offer": "O2"}
