MATCH (o:Offer)-[:CONTAINS]->(c:Content)
WHERE c.total_price IS NOT NULL
RETURN o.id AS offer, c.total_price AS price
ORDER BY price DESC, offer
LIMIT 3
