MATCH (o:Offer)-[:RECEIVED_BY]->(receivedBy:Participant)
WHERE receivedBy.company = $company
OPTIONAL MATCH (o)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)
WITH collect(DISTINCT [o, p]) AS pairs
CALL (pairs) {
  UNWIND pairs AS pair
  WITH pair[0] AS owner, pair[1] AS p
  WHERE owner IS NOT NULL
  WITH owner, count(p) AS part
  RETURN avg(part) AS `average products per offer`
}
RETURN `average products per offer`
