-- All offers: which of them are final, and of the period, is decided by site.toml, so that the others can be counted.
-- Columns: id text, language_id text, status text, date date, version text, user_id text (who handles it), and three
-- participants: sent_by text, delivered_by text, received_by text.
SELECT
    quote_no AS id,
    lang AS language_id,
    state AS status,
    quote_date AS date,
    revision AS version,
    owner_no::text AS user_id,
    seller_no::text AS sent_by,
    supplier_no::text AS delivered_by,
    customer_no::text AS received_by,
    changed_at AS updated_at
FROM cpq.quote
