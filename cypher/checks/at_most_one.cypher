// Patterns whose left node has at most one right node.
CALL () {
  MATCH (n:Offer) WHERE COUNT { (n)-[:HANDLED_BY]->() } > 1 RETURN n.id AS id, 'Offer HANDLED_BY' AS what
  UNION ALL
  MATCH (n:Offer) WHERE COUNT { (n)-[:SENT_BY]->() } > 1 RETURN n.id AS id, 'Offer SENT_BY' AS what
  UNION ALL
  MATCH (n:Offer) WHERE COUNT { (n)-[:DELIVERED_BY]->() } > 1 RETURN n.id AS id, 'Offer DELIVERED_BY' AS what
  UNION ALL
  MATCH (n:Offer) WHERE COUNT { (n)-[:RECEIVED_BY]->() } > 1 RETURN n.id AS id, 'Offer RECEIVED_BY' AS what
  UNION ALL
  MATCH (n:Offer) WHERE COUNT { (n)-[:CONTAINS]->() } > 1 RETURN n.id AS id, 'Offer CONTAINS' AS what
  UNION ALL
  MATCH (n:Content) WHERE COUNT { (n)-[:CONTAINS]->() } > 1 RETURN n.id AS id, 'Content CONTAINS' AS what
  UNION ALL
  MATCH (n:Product) WHERE COUNT { (n)-[:CONFIGURED_AS]->() } > 1 RETURN n.id AS id, 'Product CONFIGURED_AS' AS what
  UNION ALL
  MATCH (n:Parameter) WHERE COUNT { (n)-[:HAS_VALUE]->() } > 1 RETURN n.id AS id, 'Parameter HAS_VALUE' AS what
}
RETURN what, id LIMIT 100
