MATCH (o:Offer)
WHERE o.date IS NOT NULL
RETURN o.date.year AS year, count(o) AS offers
ORDER BY year
