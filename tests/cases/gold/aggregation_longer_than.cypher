MATCH (p:Product)-[:CONFIGURED_AS]->(:ProductFamily)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(x:Parameter)-[:HAS_VALUE]->(v:ParameterValue)
MATCH (x)-[:HAS_ATTRIBUTE]->(:Attribute {type: 'ext_id', value: 'pituus'})
WHERE toFloat(v.measure) > 1000
RETURN count(DISTINCT p) AS products
