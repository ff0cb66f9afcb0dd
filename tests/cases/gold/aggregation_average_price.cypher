MATCH (o:Offer)-[:CONTAINS]->(c:Content)
WHERE o.date >= date('2024-01-01') AND o.date < date('2025-01-01')
RETURN avg(c.total_price) AS average, max(c.total_price) AS highest
