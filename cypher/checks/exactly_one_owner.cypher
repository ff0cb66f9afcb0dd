// Whatever belongs to one thing belongs to exactly one: no orphan, nothing shared but people and Attributes.
CALL () {
  MATCH (n:Content) WHERE COUNT { (n)<-[:CONTAINS]-() } <> 1 RETURN n.id AS id, 'Content' AS what
  UNION ALL
  MATCH (n:Subcontent) WHERE COUNT { (n)<-[:CONTAINS]-() } <> 1 RETURN n.id AS id, 'Subcontent' AS what
  UNION ALL
  MATCH (n:Product) WHERE COUNT { (n)<-[:CONTAINS]-() } <> 1 RETURN n.id AS id, 'Product' AS what
  UNION ALL
  MATCH (n:ProductFamily) WHERE COUNT { (n)<-[:CONFIGURED_AS]-() } + COUNT { (n)<-[:HAS_CHILD]-() } <> 1
  RETURN n.id AS id, 'ProductFamily' AS what
  UNION ALL
  MATCH (n:Tab) WHERE COUNT { (n)<-[:HAS_TAB]-() } <> 1 RETURN n.id AS id, 'Tab' AS what
  UNION ALL
  MATCH (n:Tab) WHERE COUNT { (n)<-[:HAS_CHILD]-() } > 1 RETURN n.id AS id, 'Tab in Tab' AS what
  UNION ALL
  MATCH (n:Parameter) WHERE COUNT { (n)<-[:HAS_PARAMETER]-() } <> 1 RETURN n.id AS id, 'Parameter' AS what
  UNION ALL
  MATCH (n:ParameterValue) WHERE COUNT { (n)<-[:HAS_VALUE]-() } <> 1 RETURN n.id AS id, 'ParameterValue' AS what
}
RETURN what, id LIMIT 100
