-- People who send, deliver or receive offers; their company has a table of its own.
-- Columns: id text, title text, name text, company text.
SELECT
    a.ansprechpartner_id::text AS id,
    a.funktion AS title,
    a.anzeigename AS name,
    f.firmenname AS company
FROM vertrieb.ansprechpartner AS a
LEFT JOIN vertrieb.firma AS f USING (firma_id)
