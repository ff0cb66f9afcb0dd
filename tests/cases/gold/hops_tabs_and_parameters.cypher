MATCH (f:ProductFamily {name: 'Aura'})-[:HAS_TAB]->(t:Tab)-[:HAS_PARAMETER]->(x:Parameter)
RETURN DISTINCT t.name AS tab, x.name AS parameter
ORDER BY tab, parameter
