-- The part of a content that holds its products. Columns: id text, content_id text, total_price double precision.
SELECT
    section_no::text AS id,
    body_no::text AS content_id,
    section_total AS total_price,
    changed_at AS updated_at
FROM cpq.quote_section
