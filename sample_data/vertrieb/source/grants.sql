-- A role that may read what the files beside this one read, and nothing else. Run as the owner of the schema, and set
-- the password apart, as with psql's \password cpq_reader.
CREATE ROLE cpq_reader LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 40;
ALTER ROLE cpq_reader SET default_transaction_read_only = on;
GRANT USAGE ON SCHEMA vertrieb TO cpq_reader;
GRANT SELECT ON
    vertrieb.mitarbeiter, vertrieb.ansprechpartner, vertrieb.firma, vertrieb.vorgang, vertrieb.vorgangsstatus,
    vertrieb.angebot, vertrieb.abschnitt, vertrieb.auftragsposition, vertrieb.datei
TO cpq_reader;
