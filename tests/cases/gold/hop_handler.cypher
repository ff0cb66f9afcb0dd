MATCH (u:User)<-[:HANDLED_BY]-(o:Offer)
RETURN o.id AS offer, u.userid AS handler
ORDER BY offer
