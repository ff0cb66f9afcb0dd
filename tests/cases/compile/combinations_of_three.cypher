MATCH (o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
WHERE o.date >= $date
  AND o.date <= $date2
OPTIONAL MATCH (f)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(q:Parameter)-[:HAS_VALUE]->(v:ParameterValue),
      (q)-[:HAS_ATTRIBUTE]->(:Attribute {type: 'ext_id', value: $feature})
USING JOIN ON f
OPTIONAL MATCH (f)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(q2:Parameter)-[:HAS_VALUE]->(v2:ParameterValue),
      (q2)-[:HAS_ATTRIBUTE]->(:Attribute {type: 'ext_id', value: $feature2})
USING JOIN ON f
OPTIONAL MATCH (f)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(q3:Parameter)-[:HAS_VALUE]->(v3:ParameterValue),
      (q3)-[:HAS_ATTRIBUTE]->(:Attribute {type: 'ext_id', value: $feature3})
USING JOIN ON f
WITH *
WHERE v2.name IS NOT NULL
  AND v3.name IS NOT NULL
  AND v.name IS NOT NULL
RETURN v2.name AS pituus, v3.name AS vari, v.name AS optiikka, count(DISTINCT p) AS products
ORDER BY products DESC, pituus, vari, optiikka
LIMIT $top
