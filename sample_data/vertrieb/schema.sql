-- The sample's offers in a schema with quite other tables, columns and types, made of schema `cpq` and put in its place:
-- composite keys, names in tables of their own, statuses as codes, dates as timestamps, prices as numerics, documents
-- among other files. Documents are copied as they are.
DROP SCHEMA IF EXISTS vertrieb CASCADE;
CREATE SCHEMA vertrieb;

CREATE TABLE vertrieb.mitarbeiter AS
    SELECT user_no::numeric(12) AS personalnummer, login_name::varchar(40) AS kuerzel, given_name AS vorname,
        family_name AS nachname, NULL::bytea AS lichtbild
    FROM cpq.app_user;
ALTER TABLE vertrieb.mitarbeiter ADD PRIMARY KEY (personalnummer);

CREATE TABLE vertrieb.firma (
    firma_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    firmenname text NOT NULL UNIQUE
);
INSERT INTO vertrieb.firma (firmenname) SELECT DISTINCT organisation FROM cpq.contact WHERE organisation IS NOT NULL;
CREATE TABLE vertrieb.ansprechpartner AS
    SELECT contact_no AS ansprechpartner_id, job_title AS funktion, full_name AS anzeigename, firma_id
    FROM cpq.contact LEFT JOIN vertrieb.firma ON organisation = firmenname;
ALTER TABLE vertrieb.ansprechpartner ADD PRIMARY KEY (ansprechpartner_id);

-- What an offer may be. One differs from a final one in case only.
CREATE TABLE vertrieb.vorgangsstatus (statuscode smallint PRIMARY KEY, bezeichnung text NOT NULL, frueher text NOT NULL);
INSERT INTO vertrieb.vorgangsstatus VALUES
    (10, 'Entwurf', 'DRAFT'), (20, 'Offen', 'OPEN'), (30, 'Abgeschlossen', 'FINALIZED'), (40, 'Beauftragt', 'ORDERED'),
    (50, 'Verloren', 'LOST'), (60, 'Storniert', 'CANCELLED'), (31, 'abgeschlossen', 'finalized');

CREATE TABLE vertrieb.vorgang AS
    SELECT quote_no::varchar(40) AS vorgangsnummer, lang::char(2) AS sprache, statuscode AS status,
        quote_date::timestamp AS angeboten_am, revision::varchar(10) AS fassung, owner_no::numeric(12) AS bearbeiter,
        seller_no AS verkauft_von, supplier_no AS geliefert_von, customer_no AS kunde, currency AS waehrung
    FROM cpq.quote JOIN vertrieb.vorgangsstatus ON state = frueher;
ALTER TABLE vertrieb.vorgang ADD PRIMARY KEY (vorgangsnummer);
ALTER TABLE vertrieb.vorgangsstatus DROP COLUMN frueher;

CREATE TABLE vertrieb.angebot AS
    SELECT body_no AS angebot_id, quote_no AS vorgangsnummer, grand_total::numeric AS gesamtbetrag FROM cpq.quote_body;
CREATE TABLE vertrieb.abschnitt AS
    SELECT section_no AS abschnitt_id, body_no AS angebot_id, section_total::numeric AS zwischensumme
    FROM cpq.quote_section;

-- A product's key is its order's and a number in it, where it has one.
CREATE FUNCTION pg_temp.auftrag(item_no text) RETURNS text IMMUTABLE LANGUAGE sql AS
    $$SELECT coalesce(substring(item_no FROM '^(P-.+)-\d+$'), item_no)$$;
CREATE FUNCTION pg_temp.pos(item_no text) RETURNS integer IMMUTABLE LANGUAGE sql AS
    $$SELECT substring(item_no FROM '^P-.+-(\d+)$')::integer$$;
CREATE TABLE vertrieb.auftragsposition AS
    SELECT pg_temp.auftrag(item_no) AS auftrag, pg_temp.pos(item_no) AS pos, section_no AS abschnitt_id FROM cpq.line_item;
CREATE TABLE vertrieb.datei AS
    SELECT file_no AS datei_id, pg_temp.auftrag(item_no) AS auftrag, pg_temp.pos(item_no) AS pos, 'KONFIG' AS art, body AS inhalt,
        changed_at AT TIME ZONE 'UTC' AS geaendert_utc
    FROM cpq.item_file;
INSERT INTO vertrieb.datei
    SELECT -angebot_id, 'P-' || substring(vorgangsnummer FROM 3), 1, 'PDF', '\x25504446'::bytea, '2020-01-01'
    FROM vertrieb.angebot;
ALTER TABLE vertrieb.datei ADD PRIMARY KEY (datei_id), ALTER COLUMN inhalt SET STORAGE EXTERNAL;
-- Documents are asked for by the product's key as the .sql file puts it together.
CREATE INDEX ON vertrieb.datei ((auftrag || coalesce('-' || pos, '')));
CREATE FUNCTION vertrieb.stempel() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN NEW.geaendert_utc := clock_timestamp() AT TIME ZONE 'UTC'; RETURN NEW; END$$;
CREATE TRIGGER stempel BEFORE UPDATE ON vertrieb.datei FOR EACH ROW EXECUTE FUNCTION vertrieb.stempel();

DROP SCHEMA cpq CASCADE;
