// Generated from cpq_graph/model.py by: python -m cpq_graph.render

UNWIND $rows AS row
MERGE (n:User {id: row.id})
SET n.userid = row.userid, n.firstname = row.firstname, n.lastname = row.lastname;

UNWIND $rows AS row
MERGE (n:Participant {id: row.id})
SET n.title = row.title, n.name = row.name, n.company = row.company;

UNWIND $rows AS row
MERGE (n:Offer {id: row.id})
SET n.language_id = row.language_id, n.status = row.status, n.date = row.date, n.version = row.version;

UNWIND $rows AS row
MERGE (n:Content {id: row.id})
SET n.total_price = row.total_price;

UNWIND $rows AS row
MERGE (n:Subcontent {id: row.id})
SET n.total_price = row.total_price;

UNWIND $rows AS row
MERGE (n:Product {id: row.id});

UNWIND $rows AS row
MERGE (n:ProductFamily {id: row.id})
SET n.name = row.name, n.product_code = row.product_code, n.total_cost = row.total_cost;

UNWIND $rows AS row
MERGE (n:Tab {id: row.id})
SET n.name = row.name;

UNWIND $rows AS row
MERGE (n:Parameter {id: row.id})
SET n.name = row.name;

UNWIND $rows AS row
MERGE (n:ParameterValue {id: row.id})
SET n.measure = row.measure, n.name = row.name, n.quantity = row.quantity, n.parameterId = row.parameterId, n.cost = row.cost;

UNWIND $rows AS row
MERGE (n:Attribute {type: row.type, value: row.value});

UNWIND $rows AS row
MATCH (a:Offer {id: row.start_id})
MATCH (b:User {id: row.end_id})
MERGE (a)-[r:HANDLED_BY]->(b);

UNWIND $rows AS row
MATCH (a:Offer {id: row.start_id})
MATCH (b:Participant {id: row.end_id})
MERGE (a)-[r:SENT_BY]->(b);

UNWIND $rows AS row
MATCH (a:Offer {id: row.start_id})
MATCH (b:Participant {id: row.end_id})
MERGE (a)-[r:DELIVERED_BY]->(b);

UNWIND $rows AS row
MATCH (a:Offer {id: row.start_id})
MATCH (b:Participant {id: row.end_id})
MERGE (a)-[r:RECEIVED_BY]->(b);

UNWIND $rows AS row
MATCH (a:Offer {id: row.start_id})
MATCH (b:Content {id: row.end_id})
MERGE (a)-[r:CONTAINS]->(b);

UNWIND $rows AS row
MATCH (a:Content {id: row.start_id})
MATCH (b:Subcontent {id: row.end_id})
MERGE (a)-[r:CONTAINS]->(b);

UNWIND $rows AS row
MATCH (a:Subcontent {id: row.start_id})
MATCH (b:Product {id: row.end_id})
MERGE (a)-[r:CONTAINS]->(b);

UNWIND $rows AS row
MATCH (a:Product {id: row.start_id})
MATCH (b:ProductFamily {id: row.end_id})
MERGE (a)-[r:CONFIGURED_AS]->(b);

UNWIND $rows AS row
MATCH (a:ProductFamily {id: row.start_id})
MATCH (b:Tab {id: row.end_id})
MERGE (a)-[r:HAS_TAB]->(b)
SET r.position = row.position;

UNWIND $rows AS row
MATCH (a:Tab {id: row.start_id})
MATCH (b:Parameter {id: row.end_id})
MERGE (a)-[r:HAS_PARAMETER]->(b)
SET r.position = row.position;

UNWIND $rows AS row
MATCH (a:Parameter {id: row.start_id})
MATCH (b:ParameterValue {id: row.end_id})
MERGE (a)-[r:HAS_VALUE]->(b)
SET r.position = row.position;

UNWIND $rows AS row
MATCH (a:ProductFamily {id: row.start_id})
MATCH (b:Attribute {type: row.end_type, value: row.end_value})
MERGE (a)-[r:HAS_ATTRIBUTE]->(b)
SET r.position = row.position;

UNWIND $rows AS row
MATCH (a:Tab {id: row.start_id})
MATCH (b:Attribute {type: row.end_type, value: row.end_value})
MERGE (a)-[r:HAS_ATTRIBUTE]->(b)
SET r.position = row.position;

UNWIND $rows AS row
MATCH (a:Parameter {id: row.start_id})
MATCH (b:Attribute {type: row.end_type, value: row.end_value})
MERGE (a)-[r:HAS_ATTRIBUTE]->(b)
SET r.position = row.position;

UNWIND $rows AS row
MATCH (a:ParameterValue {id: row.start_id})
MATCH (b:Attribute {type: row.end_type, value: row.end_value})
MERGE (a)-[r:HAS_ATTRIBUTE]->(b)
SET r.position = row.position;

UNWIND $rows AS row
MATCH (a:ProductFamily {id: row.start_id})
MATCH (b:ProductFamily {id: row.end_id})
MERGE (a)-[r:HAS_CHILD]->(b)
SET r.position = row.position;

UNWIND $rows AS row
MATCH (a:Tab {id: row.start_id})
MATCH (b:Tab {id: row.end_id})
MERGE (a)-[r:HAS_CHILD]->(b)
SET r.position = row.position;
