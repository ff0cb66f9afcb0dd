MATCH (f:ProductFamily)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(x:Parameter)-[:HAS_VALUE]->(v:ParameterValue)
MATCH (x)-[:HAS_ATTRIBUTE]->(:Attribute {type: 'ext_id', value: 'pituus'})
WHERE v.measure IS NOT NULL
RETURN f.name, v.name, v.measure
ORDER BY v.id
