MATCH (p:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
WHERE NOT EXISTS {
  MATCH (f)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(x:Parameter)-[:HAS_VALUE]->(v:ParameterValue {name: 'Black'})
  WHERE (x)-[:HAS_ATTRIBUTE]->(:Attribute {type: 'ext_id', value: 'vari'})
}
RETURN count(p) AS products
