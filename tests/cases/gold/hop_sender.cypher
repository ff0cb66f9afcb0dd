MATCH (o:Offer {id: 'O1'})-[:SENT_BY]->(p:Participant)
RETURN p.name, p.company
