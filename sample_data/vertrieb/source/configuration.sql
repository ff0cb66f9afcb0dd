-- A product's configuration, which stands among other files. Columns: id text, product_id text, document bytea,
-- updated_at timestamptz. Documents are asked for by product_id: an index on the same expression serves.
SELECT
    datei_id::text AS id,
    auftrag || coalesce('-' || pos, '') AS product_id,
    inhalt AS document,
    geaendert_utc AT TIME ZONE 'UTC' AS updated_at
FROM vertrieb.datei
WHERE art = 'KONFIG'
