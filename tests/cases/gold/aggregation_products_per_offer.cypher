MATCH (o:Offer)-[:CONTAINS]->(:Content)-[:CONTAINS]->(:Subcontent)-[:CONTAINS]->(p:Product)
WITH o, count(p) AS products
RETURN avg(products) AS average, max(products) AS most
