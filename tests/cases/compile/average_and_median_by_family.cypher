MATCH (o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
WHERE o.date >= $date
  AND o.date <= $date2
  AND f.name IS NOT NULL
OPTIONAL MATCH (f)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(q:Parameter)-[:HAS_VALUE]->(v:ParameterValue),
      (q)-[:HAS_ATTRIBUTE]->(:Attribute {type: 'ext_id', value: $feature})
USING JOIN ON f
WITH f.name AS family, collect(DISTINCT v) AS vs, count(DISTINCT p) AS products
CALL (vs) {
  UNWIND vs AS v
  RETURN avg(toFloat(v.measure)) AS `average pituus`
}
CALL (vs) {
  UNWIND vs AS v
  RETURN percentileCont(toFloat(v.measure), 0.5) AS `median pituus`
}
RETURN family, `average pituus`, `median pituus`, products
ORDER BY `average pituus` IS NULL, round(`average pituus`, 6) DESC, family
