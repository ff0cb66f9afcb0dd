"""Reading PostgreSQL: contracts, one snapshot for all readers, documents of any size, least privilege, plain errors."""

import hashlib
import os
import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from pydantic import SecretStr

from cpq_graph.errors import SourceError
from cpq_graph.settings import CHECKOUT
from extract import documents as documents_module
from extract.contract import CONTRACTS
from extract.documents import Configuration
from extract.source import open_source
from sample_data.create import create

SOURCE = CHECKOUT / "extract" / "source"
TABLES = ("offer", "participant", "user", "content", "subcontent", "product")


@pytest.fixture(scope="module")
def database(postgres_database: Callable[[], str]) -> str:
    """A small sample."""
    url = postgres_database()
    create(12, seed=4, defects="clean", into=url)
    return url


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A site's files, to be changed."""
    return Path(shutil.copytree(SOURCE, tmp_path / "source"))


def change(folder: Path, entity: str, old: str, new: str) -> None:
    path = folder / f"{entity}.sql"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def opened(url: str, folder: Path) -> None:
    with open_source(SecretStr(url), folder):
        pass


def with_parts(url: str, **parts: object) -> str:
    split = urlsplit(url)
    user, host, port = (
        parts.get("user", split.username),
        parts.get("host", split.hostname),
        parts.get("port", split.port),
    )
    path = f"/{parts['database']}" if "database" in parts else split.path
    return urlunsplit(split._replace(netloc=f"{user}@{host}:{port}", path=path))


def test_tables_have_the_contracts_columns(database: str) -> None:
    with open_source(SecretStr(database), SOURCE) as source, psycopg.connect(database) as connection:
        for entity in TABLES:
            frame = source.table(entity)
            assert frame.columns == [column.name for column in CONTRACTS[entity].columns]
            assert frame.height
        rows = connection.execute("SELECT file_no::text, item_no, octet_length(body) FROM cpq.item_file").fetchall()
        found = source.configurations().select("id", "product_id", "bytes")
        assert sorted(found.rows()) == sorted(rows)
        assert source.snapshot.name
        assert source.snapshot.taken_at.tzinfo is not None


def test_digests_are_those_of_the_documents(database: str) -> None:
    with open_source(SecretStr(database), SOURCE) as source, psycopg.connect(database) as connection:
        stored = {str(key): bytes(body) for key, body in connection.execute("SELECT file_no, body FROM cpq.item_file")}
        for batch_bytes in (64 << 20, 1000):
            digests = source.digests(source.configurations(), batch_bytes=batch_bytes)
            assert dict(digests.select("id", "digest").rows()) == {
                key: hashlib.sha256(body).hexdigest() for key, body in stored.items()
            }
        wanted = [Configuration(**row) for row in digests.iter_rows(named=True)]
        reader = pickle.loads(pickle.dumps(source.reader()))
        read = {digest: b"".join(read()) for digest, read in reader.documents(wanted)}
        assert read == {hashlib.sha256(body).hexdigest(): body for body in stored.values()}


def test_a_large_document_comes_in_pieces_and_again(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents_module, "WHOLE_MAX", 1000)
    monkeypatch.setattr(documents_module, "PIECE", 999)
    with open_source(SecretStr(database), SOURCE) as source:
        digests = source.digests(source.configurations()).sort("bytes", descending=True).head(2)
        wanted = [Configuration(**row) for row in digests.iter_rows(named=True)]
        for digest, read in source.reader().documents(wanted):
            for _ in range(2):
                pieces = list(read())
                assert max(map(len, pieces)) == 999
                assert hashlib.sha256(b"".join(pieces)).hexdigest() == digest


def test_all_readers_see_one_snapshot(postgres_database: Callable[[], str]) -> None:
    url = postgres_database()
    create(8, seed=5, into=url)
    with open_source(SecretStr(url), SOURCE) as source:
        before = source.configurations()
        with psycopg.connect(url) as connection:
            connection.execute("UPDATE cpq.item_file SET body = 'changed'")
            connection.execute("DELETE FROM cpq.quote")
        assert source.table("offer").height > 0
        digests = source.digests(before)
        wanted = [Configuration(**row) for row in digests.iter_rows(named=True)]
        for digest, read in source.reader().documents(wanted):
            assert hashlib.sha256(b"".join(read())).hexdigest() == digest
    with open_source(SecretStr(url), SOURCE) as source:
        assert source.table("offer").height == 0


def test_nothing_can_be_written(database: str) -> None:
    with open_source(SecretStr(database), SOURCE) as source, pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        source.connection.execute("DELETE FROM cpq.quote")


def test_dates_and_numbers_beyond_what_python_knows(postgres_database: Callable[[], str]) -> None:
    url = postgres_database()
    create(8, seed=5, into=url)
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE cpq.quote SET quote_date = 'infinity'")
        connection.execute("UPDATE cpq.quote SET quote_date = '0044-03-15 BC' WHERE quote_no = 'Q-000001'")
        connection.execute("UPDATE cpq.quote_body SET grand_total = 'NaN'")
        connection.execute("UPDATE cpq.item_file SET body = NULL")
    with open_source(SecretStr(url), SOURCE) as source:
        assert set(source.table("offer")["date"]) == {"infinity", "0044-03-15 BC"}
        assert source.table("content")["total_price"].is_nan().all()
        configurations = source.configurations()
        assert configurations["bytes"].null_count() == configurations.height > 0
        assert source.digests(configurations).height == 0


@pytest.mark.parametrize(
    ("entity", "old", "new", "said"),
    [
        ("offer", "lang AS language_id,", "", ["column language_id: expected text", "got no such column"]),
        ("offer", "quote_date AS date", "quote_date::text AS date", ["column date: expected date, got text"]),
        ("offer", "quote_no AS id,", "quote_no AS id, remarks,", ["column remarks: not expected, got text"]),
        ("user", "user_no::text AS id", "user_no AS id", ["column id: expected text", "got bigint"]),
        ("content", "grand_total AS", "grand_total::numeric AS", ["column total_price", "got numeric"]),
        ("product", "item_no AS id", "item_no AS id, item_no AS id", ["column id: returned 2 times"]),
        ("configuration", "body AS document", "file_name AS document", ["column document: expected bytea, got text"]),
        (
            "configuration",
            "changed_at AS updated_at",
            "changed_at::date AS updated_at",
            ["column updated_at", "got date"],
        ),
    ],
)
def test_a_broken_contract_is_said_before_anything_is_read(
    entity: str, old: str, new: str, said: list[str], database: str, folder: Path
) -> None:
    change(folder, entity, old, new)
    with pytest.raises(SourceError) as error:
        opened(database, folder)
    assert str(folder / f"{entity}.sql") in error.value.message
    for words in said:
        assert words in error.value.message


def test_updated_at_may_be_left_out(database: str, folder: Path) -> None:
    for entity in CONTRACTS:
        path = folder / f"{entity}.sql"
        path.write_text("\n".join(line for line in path.read_text().splitlines() if "updated_at" not in line))
        text = path.read_text()
        head, _, rest = text.rpartition("\nFROM")
        path.write_text(f"{head.rstrip().removesuffix(',')}\nFROM{rest};  \n")
    with open_source(SecretStr(database), folder) as source:
        assert "updated_at" not in source.table("offer").columns
        assert source.table("offer").height == 12
        assert source.configurations().columns == ["id", "product_id", "bytes"]


def test_comments_and_per_cent_signs_are_the_files_own(database: str, folder: Path) -> None:
    change(folder, "offer", "FROM cpq.quote", "FROM cpq.quote WHERE state LIKE '%' AND 7 % 2 = 1 -- all of them %s")
    with open_source(SecretStr(database), folder) as source:
        assert source.table("offer").height == 12


@pytest.mark.parametrize(
    ("old", "new", "said", "hint"),
    [
        ("cpq.quote", "cpq.no_such", "line 15", "table's name"),
        ("lang AS", "langg AS", "line 6", "column's name"),
        ("FROM", "FROMM", "line", "SELECT"),
        ("FROM cpq.quote", "FROM cpq.quote; DROP TABLE cpq.quote", "syntax error", "single SELECT"),
    ],
)
def test_errors_in_a_file_are_said_with_their_line(
    old: str, new: str, said: str, hint: str, database: str, folder: Path
) -> None:
    change(folder, "offer", old, new)
    with pytest.raises(SourceError) as error:
        opened(database, folder)
    assert "offer.sql" in error.value.message
    assert said in error.value.message
    assert hint in (error.value.hint or "")


def test_a_missing_file_is_said(database: str, folder: Path) -> None:
    (folder / "product.sql").unlink()
    with pytest.raises(SourceError, match=r"product\.sql is missing"):
        opened(database, folder)


def test_all_files_that_are_wrong_are_said_at_once(database: str, folder: Path) -> None:
    change(folder, "offer", "FROM cpq.quote", "FROM cpq.offers")
    change(folder, "user", "login_name AS userid,", "")
    change(folder, "content", "grand_total", "grand_total::numeric")
    (folder / "product.sql").unlink()
    with pytest.raises(SourceError) as raised:
        opened(database, folder)
    lines = raised.value.message.splitlines()
    assert [line.split("/")[-1].split(":")[0].split(",")[0].split(" ")[0] for line in lines] == [
        "offer.sql", "user.sql", "content.sql", "product.sql",
    ]  # fmt: skip
    assert all(sign in (raised.value.hint or "") for sign in ("table's name", "::", "CPQ_GRAPH_SOURCE_DIR"))


@pytest.fixture
def reader_role(database: str) -> Iterator[str]:
    """The role of grants.sql, in this database. Returns its URL."""
    role = f"cpq_reader_{os.getpid()}"
    statements = (SOURCE / "grants.sql").read_text().replace("cpq_reader", role)
    with psycopg.connect(database) as connection:
        connection.execute(statements)  # type: ignore[call-overload]
        connection.execute(f"ALTER ROLE {role} PASSWORD 'canary-password'")  # type: ignore[call-overload]
    yield with_parts(database, user=f"{role}:canary-password")
    with psycopg.connect(database) as connection:
        connection.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")  # type: ignore[call-overload]


def test_the_least_role_can_read_all(reader_role: str) -> None:
    with open_source(SecretStr(reader_role), SOURCE) as source:
        assert all(source.table(entity).height for entity in TABLES)
        digests = source.digests(source.configurations())
        wanted = [Configuration(**row) for row in digests.iter_rows(named=True)]
        assert sum(1 for _ in source.reader().documents(wanted)) == len(wanted)


def test_a_missing_privilege_is_said(reader_role: str, folder: Path) -> None:
    change(folder, "user", "FROM cpq.app_user", "FROM (SELECT u.* FROM cpq.app_user AS u, cpq.login_session) AS x")
    with pytest.raises(SourceError, match="permission denied") as error:
        opened(reader_role, folder)
    assert "grants.sql" in (error.value.hint or "")


@pytest.mark.parametrize(
    ("change_url", "hint"),
    [
        ({"port": 1}, "Is PostgreSQL running"),
        ({"host": "no-such-host.invalid"}, "Check the host"),
        ({"database": "no_such_database"}, "names of the user and the database"),
    ],
)
def test_a_failed_connection_is_explained_without_the_password(
    change_url: dict[str, object], hint: str, database: str
) -> None:
    url = with_parts(database, user="someone:canary-password", **change_url)
    if "database" in change_url:
        url = with_parts(database, **change_url)
    with pytest.raises(SourceError) as error:
        opened(url, SOURCE)
    assert "cannot connect to PostgreSQL" in error.value.message
    assert hint in (error.value.hint or "")
    assert "canary" not in str(error.value)


def test_a_lost_connection_is_a_source_error(database: str) -> None:
    with open_source(SecretStr(database), SOURCE) as source:
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(%s)", (source.connection.info.backend_pid,))
        with pytest.raises(SourceError) as error:
            source.table("offer")
        assert "connection" in str(error.value)


def test_no_secret_in_what_is_shown(database: str) -> None:
    url = SecretStr(database)
    with open_source(url, SOURCE) as source:
        for shown in (repr(source), repr(source.reader()), str(source.snapshot)):
            assert database not in shown
