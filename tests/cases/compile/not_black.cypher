CALL () {
  MATCH (p:Product)-[:CONFIGURED_AS]->(:ProductFamily)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(q:Parameter)-[:HAS_VALUE]->(v:ParameterValue),
        (q)-[:HAS_ATTRIBUTE]->(a:Attribute {type: 'ext_id', value: $feature})
  WHERE v.name IS NOT NULL OR v.name = $name
  RETURN
    collect(DISTINCT CASE WHEN v.name IS NOT NULL THEN p END) AS featured,
    collect(DISTINCT CASE WHEN v.name = $name THEN p END) AS featured2
}
MATCH (o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
WHERE f.name = $family
  AND o.date >= $date
  AND o.date <= $date2
  AND p IN featured
  AND NOT p IN featured2
RETURN count(p) AS products
