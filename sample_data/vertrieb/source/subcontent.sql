-- The part of a content that holds its products. Columns: id text, content_id text, total_price double precision.
SELECT
    abschnitt_id::text AS id,
    angebot_id::text AS content_id,
    zwischensumme::double precision AS total_price
FROM vertrieb.abschnitt
