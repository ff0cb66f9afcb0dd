-- The schema of the sample source: names unlike those of the entities' contracts, columns and tables of no interest,
-- no foreign keys (so that rows may point at nothing, as they do in grown databases).
DROP SCHEMA IF EXISTS cpq CASCADE;
CREATE SCHEMA cpq;

CREATE TABLE cpq.app_user (
    user_no bigint PRIMARY KEY,
    login_name text,
    given_name text,
    family_name text,
    password_hash text,
    is_active boolean,
    changed_at timestamptz NOT NULL
);
CREATE TABLE cpq.contact (
    contact_no bigint PRIMARY KEY,
    job_title text,
    full_name text,
    organisation text,
    phone text,
    changed_at timestamptz NOT NULL
);
CREATE TABLE cpq.quote (
    quote_no text PRIMARY KEY,
    lang text,
    state text,
    quote_date date,              -- may be 'infinity'
    revision text,
    owner_no bigint,              -- app_user
    seller_no bigint,             -- contact
    supplier_no bigint,           -- contact
    customer_no bigint,           -- contact
    currency text,
    margin numeric(6, 3),
    remarks text,
    changed_at timestamptz NOT NULL
);
CREATE TABLE cpq.quote_body (
    body_no bigint PRIMARY KEY,
    quote_no text,                -- quote
    grand_total double precision, -- may be 'NaN'
    vat_percent numeric(4, 1),
    changed_at timestamptz NOT NULL
);
CREATE TABLE cpq.quote_section (
    section_no bigint PRIMARY KEY,
    body_no bigint,               -- quote_body
    section_total double precision,
    heading text,
    changed_at timestamptz NOT NULL
);
CREATE TABLE cpq.line_item (
    item_no text PRIMARY KEY,
    section_no bigint,            -- quote_section
    row_height integer,
    changed_at timestamptz NOT NULL
);
CREATE TABLE cpq.item_file (
    file_no bigint PRIMARY KEY,
    item_no text,                 -- line_item
    file_name text,
    body bytea,                   -- the configuration: XML, some of it gzipped; may be NULL or empty
    changed_at timestamptz NOT NULL
);
-- Uncompressed out of line, so that pieces of a large document are read without reading all of it.
ALTER TABLE cpq.item_file ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX ON cpq.quote (changed_at);
CREATE INDEX ON cpq.item_file (item_no);
-- Whoever changes a file, its changed_at says so: a delta relies on it.
CREATE FUNCTION cpq.touch() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN IF NEW.changed_at = OLD.changed_at THEN NEW.changed_at := clock_timestamp(); END IF; RETURN NEW; END$$;
CREATE TRIGGER touch BEFORE UPDATE ON cpq.item_file FOR EACH ROW EXECUTE FUNCTION cpq.touch();

-- What else a CPQ product keeps. quote_archive and item_file_draft look like what is wanted, and are not.
CREATE TABLE cpq.quote_archive (LIKE cpq.quote);
CREATE TABLE cpq.item_file_draft (LIKE cpq.item_file);
CREATE TABLE cpq.approval (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.audit_log (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.attachment (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.calendar (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.country (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.currency (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.delivery_term (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.discount_rule (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.email_template (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.exchange_rate (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.job_queue (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.layout_page (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.login_session (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.number_series (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.payment_term (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.permission (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.price_list (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.price_list_row (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.region (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.report_definition (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.role (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.role_permission (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.rule_set (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.setting (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.stock (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.supplier (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.tax_code (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.translation (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.unit_of_measure (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.warehouse (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cpq.workflow_step (id bigint PRIMARY KEY, code text, payload text, changed_at timestamptz NOT NULL DEFAULT now());
