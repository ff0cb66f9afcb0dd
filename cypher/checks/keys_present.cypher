// A uniqueness constraint allows nodes without the key: there must be none.
CALL () {
  MATCH (n:User) WHERE n.id IS NULL RETURN 'User' AS what
  UNION ALL
  MATCH (n:Participant) WHERE n.id IS NULL RETURN 'Participant' AS what
  UNION ALL
  MATCH (n:Offer) WHERE n.id IS NULL RETURN 'Offer' AS what
  UNION ALL
  MATCH (n:Content) WHERE n.id IS NULL RETURN 'Content' AS what
  UNION ALL
  MATCH (n:Subcontent) WHERE n.id IS NULL RETURN 'Subcontent' AS what
  UNION ALL
  MATCH (n:Product) WHERE n.id IS NULL RETURN 'Product' AS what
  UNION ALL
  MATCH (n:ProductFamily) WHERE n.id IS NULL RETURN 'ProductFamily' AS what
  UNION ALL
  MATCH (n:Tab) WHERE n.id IS NULL RETURN 'Tab' AS what
  UNION ALL
  MATCH (n:Parameter) WHERE n.id IS NULL RETURN 'Parameter' AS what
  UNION ALL
  MATCH (n:ParameterValue) WHERE n.id IS NULL RETURN 'ParameterValue' AS what
  UNION ALL
  MATCH (n:Attribute) WHERE n.type IS NULL OR n.value IS NULL RETURN 'Attribute' AS what
}
RETURN what, count(*) AS nodes
