-- Configured products. The key has two columns, the second of which may be NULL. Columns: id text, subcontent_id text.
SELECT
    auftrag || coalesce('-' || pos, '') AS id,
    abschnitt_id::text AS subcontent_id
FROM vertrieb.auftragsposition
