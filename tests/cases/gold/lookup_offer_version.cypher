MATCH (o:Offer {id: 'O3'})
RETURN o.version
