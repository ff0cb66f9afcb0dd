-- What the refresh needs in the source database: a role that may read the seven tables, and nothing else.
-- Run as the owner of the schema, with names of your own; the password is set outside this file: \password cpq_reader
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'cpq_reader') THEN
        CREATE ROLE cpq_reader LOGIN;
    END IF;
END
$$;
GRANT USAGE ON SCHEMA cpq TO cpq_reader;
GRANT SELECT ON cpq.app_user, cpq.contact, cpq.quote, cpq.quote_body, cpq.quote_section, cpq.line_item, cpq.item_file
TO cpq_reader;
