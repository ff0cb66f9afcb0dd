-- A product's configuration: an XML file, gzipped or not. Columns: id text, product_id text, document bytea.
-- Documents are asked for by product_id: where that is a column as it is, not a cast, its index serves.
SELECT
    file_no::text AS id,
    item_no AS product_id,
    body AS document,
    changed_at AS updated_at
FROM cpq.item_file
