-- Own people who handle offers. Columns: id text, userid text, firstname text, lastname text.
SELECT
    user_no::text AS id,
    login_name AS userid,
    given_name AS firstname,
    family_name AS lastname,
    changed_at AS updated_at
FROM cpq.app_user
