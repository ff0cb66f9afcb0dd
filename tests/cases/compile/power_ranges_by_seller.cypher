MATCH (o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
MATCH (f)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(q:Parameter)-[:HAS_VALUE]->(v:ParameterValue),
      (q)-[:HAS_ATTRIBUTE]->(a:Attribute {type: 'ext_id', value: $feature})
USING INDEX a:Attribute(type, value)
MATCH (o)-[:SENT_BY]->(sentBy:Participant)
WHERE o.date >= $from AND o.date <= $to
  AND sentBy.name IS NOT NULL
  AND toFloat(v.measure) IS NOT NULL
WITH
  sentBy.name AS sender,
  toInteger(floor(round(toFloat(v.measure) / $width, 9))) AS `teho range`,
  count(DISTINCT p) AS products
ORDER BY sender, `teho range`
RETURN
  sender,
  toString(toInteger(`teho range` * $width)) + '-' + toString(toInteger((`teho range` + 1) * $width)) AS `teho range`,
  products
