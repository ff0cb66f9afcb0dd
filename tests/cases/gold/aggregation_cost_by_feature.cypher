MATCH (x:Parameter)-[:HAS_VALUE]->(v:ParameterValue)
MATCH (x)-[:HAS_ATTRIBUTE]->(a:Attribute {type: 'ext_id'})
WHERE v.cost IS NOT NULL
RETURN a.value AS feature, sum(v.cost) AS cost, count(v) AS values
ORDER BY feature
