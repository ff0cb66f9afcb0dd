-- Optional, and for EVERY role of this database that is not granted the same by name: PostgreSQL lets all of them
-- (PUBLIC) make temporary tables and large objects, which take disk. Ask whether the CPQ product's own role needs them
-- first; `GRANT TEMPORARY ON DATABASE … TO that_role` gives it back. Run as a superuser, in the source's database.
DO $$
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END
$$;
REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC;
-- Before PostgreSQL 15 everyone may also create tables and functions in `public`.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
