-- Configured products. Columns: id text, subcontent_id text.
SELECT
    item_no AS id,
    section_no::text AS subcontent_id,
    changed_at AS updated_at
FROM cpq.line_item
