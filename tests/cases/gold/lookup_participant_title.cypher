MATCH (p:Participant)
WHERE p.name = 'Aino Niemi'
RETURN DISTINCT p.title, p.company
