MATCH (o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)
WHERE o.id = $offer
OPTIONAL MATCH (p)-[:CONFIGURED_AS]->(:ProductFamily)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(q:Parameter)-[:HAS_VALUE]->(v:ParameterValue)
WHERE EXISTS { (q)-[:HAS_ATTRIBUTE]->(:Attribute {type: 'ext_id', value: $feature}) }
RETURN DISTINCT p.id AS product, v.name AS teho
ORDER BY product, teho
