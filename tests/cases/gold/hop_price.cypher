MATCH (o:Offer)-[:CONTAINS]->(c:Content)
RETURN o.id AS offer, c.total_price AS price
ORDER BY offer
