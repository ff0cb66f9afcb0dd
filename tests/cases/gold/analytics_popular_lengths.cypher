MATCH (o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)-[:CONFIGURED_AS]->(f:ProductFamily {name: 'SNEP® MODE P'})
MATCH (f)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(x:Parameter)-[:HAS_VALUE]->(v:ParameterValue)
MATCH (x)-[:HAS_ATTRIBUTE]->(:Attribute {type: 'ext_id', value: 'pituus'})
WHERE o.date.year = 2024
RETURN v.name AS length, count(DISTINCT p) AS products
ORDER BY products DESC, length
LIMIT 3
