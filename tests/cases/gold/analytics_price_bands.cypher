MATCH (o:Offer)-[:CONTAINS]->(c:Content)
WITH CASE WHEN c.total_price < 500 THEN 'low' WHEN c.total_price < 1000 THEN 'middle' ELSE 'high' END AS band, o
RETURN band, count(o) AS offers
ORDER BY band
