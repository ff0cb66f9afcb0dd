-- What an offer contains as a whole. Columns: id text, offer_id text, total_price double precision.
SELECT
    body_no::text AS id,
    quote_no AS offer_id,
    grand_total AS total_price,
    changed_at AS updated_at
FROM cpq.quote_body
