MATCH (o:Offer)-[:RECEIVED_BY]->(p:Participant)
WHERE o.date.year = 2024
WITH o.date.quarter AS quarter, p.company AS company, count(o) AS offers
ORDER BY quarter, offers DESC, company
WITH quarter, collect({company: company, offers: offers})[0] AS best
RETURN quarter, best.company AS company, best.offers AS offers
ORDER BY quarter
