-- The least that the refresh needs: a role that may read the seven tables, and nothing else. Run as the owner of the
-- schema, with names of your own, and set the password apart, as with psql's \password cpq_reader.
-- grants_public.sql beside this file takes away what PostgreSQL lets every role do.
CREATE ROLE cpq_reader LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 40;
-- A seat belt: the role could set it off, and would still have no table to write to.
ALTER ROLE cpq_reader SET default_transaction_read_only = on;
GRANT USAGE ON SCHEMA cpq TO cpq_reader;
GRANT SELECT ON
    cpq.app_user, cpq.contact, cpq.quote, cpq.quote_body, cpq.quote_section, cpq.line_item, cpq.item_file
TO cpq_reader;
