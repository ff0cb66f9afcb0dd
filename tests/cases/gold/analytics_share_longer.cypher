MATCH (p:Product)-[:CONFIGURED_AS]->(f:ProductFamily)
WHERE f.name STARTS WITH 'SNEP'
OPTIONAL MATCH (f)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(x:Parameter)-[:HAS_VALUE]->(v:ParameterValue)
WHERE EXISTS { (x)-[:HAS_ATTRIBUTE]->(:Attribute {type: 'ext_id', value: 'pituus'}) }
WITH count(DISTINCT p) AS total, count(DISTINCT CASE WHEN toFloat(v.measure) > 1000 THEN p END) AS longer
RETURN 100.0 * longer / total AS percent
