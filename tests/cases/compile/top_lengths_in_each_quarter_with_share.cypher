MATCH (o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
MATCH (f)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(q:Parameter)-[:HAS_VALUE]->(v:ParameterValue),
      (q)-[:HAS_ATTRIBUTE]->(a:Attribute {type: 'ext_id', value: $feature})
USING INDEX a:Attribute(type, value)
WHERE f.name = $family
  AND o.date >= $date
  AND o.date <= $date2
  AND v.name IS NOT NULL
WITH
  toString(o.date.year) + '-Q' + toString(o.date.quarter) AS quarter,
  v.name AS pituus,
  count(DISTINCT p) AS products,
  count(DISTINCT p) AS part,
  collect(DISTINCT p) AS ps
WITH
  quarter,
  collect({pituus: pituus, products: products, part: part}) AS groups,
  collect(ps) AS lists
CALL (lists) {
  UNWIND lists AS nodes
  UNWIND nodes AS node
  RETURN count(DISTINCT node) AS total
}
UNWIND groups AS group
WITH
  quarter,
  group.pituus AS pituus,
  group.products AS products,
  100.0 * group.part / nullIf(total, 0) AS `share %`
ORDER BY quarter, products DESC, pituus
WITH quarter, collect({pituus: pituus, products: products, `share %`: `share %`})[..$top] AS best
UNWIND best AS row
RETURN quarter, row.pituus AS pituus, row.products AS products, row.`share %` AS `share %`
ORDER BY quarter, products DESC, pituus
