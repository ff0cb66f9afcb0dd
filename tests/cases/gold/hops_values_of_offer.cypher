MATCH (o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)-[:CONFIGURED_AS]->(:ProductFamily)-[:HAS_TAB]->(:Tab)-[:HAS_PARAMETER]->(x:Parameter)-[:HAS_VALUE]->(v:ParameterValue)
WHERE o.id IN ['O1', 'O2', 'O3']
  AND EXISTS { (x)-[:HAS_ATTRIBUTE]->(:Attribute {type: 'ext_id', value: 'teho'}) }
RETURN o.id AS offer, p.id AS product, v.name AS power
ORDER BY offer, product, power
