"""What the source's role may not do, TLS to PostgreSQL, and URLs whose password careless messages show."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from certificates import Certificates, certificates
from psycopg import errors as pg
from pydantic import SecretStr
from tls_proxy import tls_proxy

from cpq_graph.errors import ConfigurationError, CpqGraphError, SourceError
from cpq_graph.settings import CHECKOUT
from extract.source import open_source
from sample_data.create import create

SOURCE = CHECKOUT / "extract" / "source"
ROLE = f"cpq_reader_{os.getpid()}_s"
CANARY = "canary-4711"


@pytest.fixture(scope="module")
def database(postgres_database: Callable[[], str]) -> str:
    url = postgres_database()
    create(3, seed=4, into=url)
    return url


@pytest.fixture(scope="module")
def reader(database: str) -> Iterator[str]:
    """The URL of a role that grants.sql made, as the owner runs it."""
    statements = (SOURCE / "grants.sql").read_text().replace("cpq_reader", ROLE)
    with psycopg.connect(database) as connection:
        connection.execute(statements)  # type: ignore[call-overload]
        connection.execute(f"ALTER ROLE {ROLE} PASSWORD '{CANARY}'")  # type: ignore[call-overload]
    parts = urlsplit(database)
    host = parts.netloc.rpartition("@")[2]
    yield urlunsplit(parts._replace(netloc=f"{ROLE}:{CANARY}@{host}"))
    with psycopg.connect(database) as connection:
        connection.execute(f"DROP OWNED BY {ROLE}; DROP ROLE {ROLE}")  # type: ignore[call-overload]


REFUSED = (
    # Writing to the seven tables, in every way there is.
    "INSERT INTO cpq.quote (quote_no) VALUES ('x')",
    "UPDATE cpq.quote SET state = 'x'",
    "DELETE FROM cpq.quote",
    "TRUNCATE cpq.quote",
    "MERGE INTO cpq.quote q USING (SELECT 'x' AS k) AS s ON q.quote_no = s.k WHEN MATCHED THEN DELETE",
    "WITH gone AS (DELETE FROM cpq.quote RETURNING *) SELECT count(*) FROM gone",
    "COPY cpq.quote FROM STDIN",
    "SELECT * FROM cpq.quote FOR UPDATE",
    "LOCK TABLE cpq.quote IN ACCESS EXCLUSIVE MODE",
    "LOCK TABLE cpq.quote IN SHARE MODE",
    # Changing what is there.
    "ALTER TABLE cpq.quote ADD COLUMN more int",
    "DROP TABLE cpq.quote",
    "CREATE INDEX ON cpq.quote (state)",
    "CREATE TRIGGER t BEFORE INSERT ON cpq.quote FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "COMMENT ON TABLE cpq.quote IS 'x'",
    "REINDEX TABLE cpq.quote",
    # Making something new.
    "CREATE TABLE cpq.more (id int)",
    "CREATE TABLE public.more (id int)",
    "CREATE VIEW public.more AS SELECT 1",
    "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE SCHEMA more",
    "CREATE DATABASE more",
    "CREATE EXTENSION plpython3u",
    "CREATE ROLE more",
    # Other tables, secrets of the server.
    "SELECT * FROM cpq.audit_log",
    "SELECT * FROM cpq.login_session",
    "TABLE pg_authid",
    "SELECT passwd FROM pg_shadow",
    "SELECT * FROM pg_hba_file_rules",
    "SELECT * FROM pg_file_settings",
    "SELECT * FROM pg_user_mapping",
    "SHOW data_directory",
    # Files and programs of the server.
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_read_binary_file('postgresql.conf')",
    "SELECT pg_ls_dir('.')",
    "SELECT pg_stat_file('/etc/passwd')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/x')",
    "COPY cpq.quote TO '/tmp/x'",
    "COPY cpq.quote TO PROGRAM 'true'",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "CREATE TEMP TABLE t (x text); COPY t FROM PROGRAM 'true'",
    "CREATE TEMP TABLE t (x text); COPY t FROM '/etc/passwd'",
    "LOAD '/tmp/x.so'",
    "DO LANGUAGE plpython3u $$ pass $$",
    # Becoming more.
    "SET ROLE postgres",
    "SET SESSION AUTHORIZATION postgres",
    f"ALTER ROLE {ROLE} SUPERUSER",
    f"GRANT pg_read_server_files TO {ROLE}",
    f"GRANT SELECT ON cpq.audit_log TO {ROLE}",
    "ALTER SYSTEM SET work_mem = '1GB'",
    "SELECT pg_reload_conf()",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
    "SELECT pg_create_logical_replication_slot('x', 'pgoutput')",
    "SELECT pg_switch_wal()",
    "CREATE PUBLICATION p FOR ALL TABLES",
)


@pytest.mark.parametrize("statement", REFUSED, ids=[s.replace(ROLE, "cpq_reader") for s in REFUSED])
def test_the_role_may_do_nothing_but_read(reader: str, statement: str) -> None:
    with psycopg.connect(reader) as connection:
        # Without its seat belt.
        connection.execute("SET default_transaction_read_only = off")
        connection.commit()
        connection.autocommit = statement.startswith(("CREATE DATABASE", "ALTER SYSTEM"))
        refusals = (pg.InsufficientPrivilege, pg.UndefinedObject, pg.UndefinedTable, pg.FeatureNotSupported)
        with pytest.raises(refusals) as refusal, connection.cursor() as cursor:
            for part in statement.split("; "):
                cursor.execute(part)  # type: ignore[call-overload]
        if not isinstance(refusal.value, pg.InsufficientPrivilege):
            # Not there at all: a language or an extension that this server lacks.
            assert "plpython3u" in statement, refusal.value


def test_what_everyone_may_do_can_be_taken_away(database: str, reader: str) -> None:
    public = ("CREATE TEMP TABLE t (x int)", "SELECT lo_create(0)", "SELECT lo_from_bytea(0, 'x')")

    def allowed() -> list[str]:
        done = []
        for statement in public:
            with psycopg.connect(reader) as connection:
                connection.execute("SET default_transaction_read_only = off")
                connection.commit()
                try:
                    connection.execute(statement)
                    done.append(statement)
                except pg.InsufficientPrivilege:
                    pass
                connection.rollback()
        return done

    assert allowed() == list(public)
    with psycopg.connect(reader) as connection, pytest.raises(pg.ReadOnlySqlTransaction):
        connection.execute("CREATE TABLE public.seat_belt (x int)")
    with psycopg.connect(database) as connection:
        connection.execute((SOURCE / "grants_public.sql").read_text())  # type: ignore[call-overload]
    assert allowed() == []
    with open_source(SecretStr(reader), SOURCE) as source:
        assert source.table("offer").height == 3


@pytest.fixture(scope="module")
def tls(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Certificates]]:
    """The source behind TLS, with a certificate that is for 127.0.0.1 and not for localhost."""
    made = certificates(tmp_path_factory.mktemp("tls"), "127.0.0.1")
    parts = urlsplit(database)
    with tls_proxy(parts.port or 5432, made.certificate, made.key) as port:
        user = parts.netloc.rpartition("@")[0]
        url = urlunsplit(parts._replace(netloc=f"{user}@127.0.0.1:{port}"))
        yield f"{url}{'&' if parts.query else '?'}application_name=x", made


def test_the_source_is_read_over_tls_that_is_checked(tls: tuple[str, Certificates]) -> None:
    url, made = tls
    with open_source(SecretStr(f"{url}&sslmode=verify-full&sslrootcert={made.ca}"), SOURCE) as source:
        assert source.connection.pgconn.ssl_in_use
        assert source.table("offer").height == 3
        assert source.reader()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda url, made: f"{url}&sslmode=verify-full&sslrootcert={made.other_ca}", "certificate verify failed"),
        (lambda url, made: f"{url}&sslmode=verify-full&sslrootcert=/no/such/ca.pem", "does not exist"),
        (
            lambda url, made: f"{url}&sslmode=verify-full&sslrootcert={made.ca}".replace("127.0.0.1", "localhost"),
            "does not match host name",
        ),
    ],
    ids=["another CA", "no CA file", "another host"],
)
def test_a_server_that_is_not_the_right_one_is_refused(
    tls: tuple[str, Certificates], change: Callable[[str, Certificates], str], said: str
) -> None:
    with pytest.raises(SourceError) as error, open_source(SecretStr(change(*tls)), SOURCE):
        pass
    assert said in error.value.message
    assert "sslrootcert" in (error.value.hint or "")


def test_a_server_without_tls_is_refused_where_tls_is_wanted(database: str) -> None:
    separator = "&" if "?" in database else "?"
    with (
        pytest.raises(SourceError, match="SSL") as error,
        open_source(SecretStr(f"{database}{separator}sslmode=require"), SOURCE),
    ):
        pass
    assert "sslmode" in (error.value.hint or "")


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://u:p@{CANARY}@127.0.0.1:1/db",
        f"postgresql://u:p/{CANARY}@127.0.0.1:1/db",
        f"postgresql://u:{CANARY}/p@127.0.0.1:1/db",
        f"postgresql://u:{CANARY}@x?y@127.0.0.1:1/db",
        f"postgresql://u:x?{CANARY}@y@127.0.0.1:1/db",
        f"postgresql://u:{CANARY}%zz@127.0.0.1:1/db",
        f"postgresql://u:a {CANARY}@127.0.0.1:1/db",
        f"postgresql://u@127.0.0.1:{CANARY}/db",
        f"postgresql://127.0.0.1:1/db?password={CANARY}&no_such_option=1",
        f"host=127.0.0.1 port=1 password='{CANARY}",
        f"host=127.0.0.1 password=x {CANARY}",
        f"mysql://u:{CANARY}@127.0.0.1:1/db",
        CANARY,
    ],
)
def test_a_url_that_is_read_otherwise_than_meant_shows_nothing_of_its_password(url: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as error, open_source(SecretStr(url), SOURCE):
        pass
    assert CANARY not in str(error.value)
    assert "%40" in (error.value.hint or "")
    with pytest.raises(CpqGraphError) as failure:
        create(1, into=url)
    assert CANARY not in str(failure.value)


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://u:{CANARY}%40%2F%3A%3F%23%25%20x@127.0.0.1:1/db",
        f"postgresql://u:12:{CANARY}#?!$&'()*+,;=@127.0.0.1:1/db",
        f"host=127.0.0.1 port=1 user=u password='{CANARY} @/'",
        f"postgresql://127.0.0.1:1/db?user=u&password={CANARY}",
    ],
)
def test_a_url_that_is_right_is_used_and_its_password_not_shown(url: str) -> None:
    with pytest.raises(SourceError) as error, open_source(SecretStr(url), SOURCE):
        pass
    assert "Is PostgreSQL running" in (error.value.hint or "")
    assert CANARY not in str(error.value)
