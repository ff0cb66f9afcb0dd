-- People who send, deliver or receive offers. Columns: id text, title text, name text, company text.
SELECT
    contact_no::text AS id,
    job_title AS title,
    full_name AS name,
    organisation AS company,
    changed_at AS updated_at
FROM cpq.contact
