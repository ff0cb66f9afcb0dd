// A person or an Attribute that nothing names does not belong in the graph.
CALL () {
  MATCH (n:User) WHERE NOT EXISTS { (n)<-[:HANDLED_BY]-() } RETURN n.id AS key, 'User' AS what
  UNION ALL
  MATCH (n:Participant) WHERE NOT EXISTS { (n)<-[:SENT_BY|DELIVERED_BY|RECEIVED_BY]-() }
  RETURN n.id AS key, 'Participant' AS what
  UNION ALL
  MATCH (n:Attribute) WHERE NOT EXISTS { (n)<-[:HAS_ATTRIBUTE]-() } RETURN n.type + ' ' + n.value AS key, 'Attribute' AS what
}
RETURN what, key LIMIT 100
