MATCH (p:Participant {company: 'Härmä Oy'})<-[:RECEIVED_BY]-(o:Offer)-[:CONTAINS]->(c:Content)
RETURN count(o) AS offers, sum(c.total_price) AS total
