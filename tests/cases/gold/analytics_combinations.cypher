MATCH (p:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
MATCH (f)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(x:Parameter)-[:HAS_VALUE]->(v:ParameterValue)
MATCH (x)-[:HAS_ATTRIBUTE]->(a:Attribute {type: 'ext_id'})
WHERE a.value IN ['vari', 'teho'] AND v.name IS NOT NULL
WITH p, a.value AS feature, min(v.name) AS choice
ORDER BY feature
WITH p, collect(feature + '=' + choice) AS combination
RETURN combination, count(p) AS products
ORDER BY products DESC, combination
LIMIT 5
