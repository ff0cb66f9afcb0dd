// A feature of products: by its ext_id, whatever its parameter is called, and within one family.
// Leave the family's name out to look in all families.
MATCH (o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)
      -[:CONFIGURED_AS]->(f:ProductFamily {name: 'SNEP® MODE P'})
      -[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(x:Parameter)-[:HAS_ATTRIBUTE]->(:Attribute {type: 'ext_id', value: 'pituus'})
MATCH (x)-[:HAS_VALUE]->(v:ParameterValue)
WHERE o.date >= date('2024-01-01') AND o.date <= date('2024-12-31')
RETURN v.name AS length, count(DISTINCT p) AS products
ORDER BY products DESC, length
