MATCH (u:User)<-[:HANDLED_BY]-(o:Offer)-[:CONTAINS]->(c:Content)
WITH u, count(o) AS offers, sum(c.total_price) AS total
WHERE offers > 1
RETURN u.userid AS handler, offers, total
ORDER BY total DESC, handler
