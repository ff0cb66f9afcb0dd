-- Own people who handle offers. Columns: id text, userid text, firstname text, lastname text.
SELECT
    personalnummer::text AS id,
    kuerzel AS userid,
    vorname AS firstname,
    nachname AS lastname
FROM vertrieb.mitarbeiter
