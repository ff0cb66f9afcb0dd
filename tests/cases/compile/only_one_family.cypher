MATCH (o:Offer)-[:SENT_BY]->(sentBy:Participant)
WHERE sentBy.company = $company
  AND NOT EXISTS {
    MATCH (o)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)
    WHERE NOT EXISTS { MATCH (p)-[:CONFIGURED_AS]->(f:ProductFamily) WHERE f.name = $family }
  }
  AND EXISTS { MATCH (o)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p2:Product) }
OPTIONAL MATCH (o)-[:CONTAINS]->(c:Content)
RETURN count(o) AS offers, sum(c.total_price) AS `total price`
