CALL () {
  MATCH (p:Product)-[:CONFIGURED_AS]->(:ProductFamily)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(q:Parameter)-[:HAS_VALUE]->(v:ParameterValue),
        (q)-[:HAS_ATTRIBUTE]->(a:Attribute {type: 'ext_id', value: $feature})
  WHERE toFloat(v.measure) > $measure
  RETURN collect(DISTINCT p) AS featured
}
MATCH (o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
WHERE f.name = $family
  AND o.date >= $date
  AND o.date <= $date2
RETURN 100.0 * count(CASE WHEN p IN featured THEN p END) / nullIf(count(p), 0) AS `share %`
