-- What an offer contains as a whole. Columns: id text, offer_id text, total_price double precision.
SELECT
    angebot_id::text AS id,
    vorgangsnummer AS offer_id,
    gesamtbetrag::double precision AS total_price
FROM vertrieb.angebot
