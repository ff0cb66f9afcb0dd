MATCH (o:Offer)
WHERE o.date >= date('2024-01-01')
WITH count(o) AS total, count(CASE WHEN o.status = 'SOLD' THEN o END) AS sold
RETURN sold, total, 100.0 * sold / total AS percent
