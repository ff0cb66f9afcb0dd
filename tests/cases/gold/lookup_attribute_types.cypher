MATCH (a:Attribute {type: 'ext_id'})
RETURN a.value AS feature
ORDER BY feature
