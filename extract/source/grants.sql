-- The least that the refresh needs: a role that may read the seven tables, and nothing else. Run as the owner of the
-- schema, with names of your own, and set the password apart, as with psql's \password cpq_reader.
CREATE ROLE cpq_reader LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
GRANT USAGE ON SCHEMA cpq TO cpq_reader;
GRANT SELECT ON
    cpq.app_user, cpq.contact, cpq.quote, cpq.quote_body, cpq.quote_section, cpq.line_item, cpq.item_file
TO cpq_reader;
