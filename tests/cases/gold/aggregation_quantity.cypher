MATCH (v:ParameterValue)
WHERE v.quantity >= 2
RETURN v.name AS choice, sum(v.quantity) AS pieces
ORDER BY pieces DESC, choice
LIMIT 5
