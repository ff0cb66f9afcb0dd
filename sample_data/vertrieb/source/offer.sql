-- All offers. The status is a code here, and its name is what site.toml lists. Columns: id text, language_id text,
-- status text, date date, version text, user_id text, sent_by text, delivered_by text, received_by text.
SELECT
    v.vorgangsnummer AS id,
    v.sprache::text AS language_id,
    s.bezeichnung AS status,
    v.angeboten_am::date AS date,
    v.fassung AS version,
    v.bearbeiter::text AS user_id,
    v.verkauft_von::text AS sent_by,
    v.geliefert_von::text AS delivered_by,
    v.kunde::text AS received_by
FROM vertrieb.vorgang AS v
LEFT JOIN vertrieb.vorgangsstatus AS s ON s.statuscode = v.status
