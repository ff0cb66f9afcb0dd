"""The source's URL, looked at before it is used."""

import psycopg
from psycopg.conninfo import conninfo_to_dict
from pydantic import SecretStr

from cpq_graph.errors import ConfigurationError


def check_url(url: SecretStr) -> None:
    """Raises ConfigurationError for a URL that libpq would take apart in another way than it was meant: its messages
    would then show a piece of the password as host, port or option."""
    text = url.get_secret_value()
    scheme, separator, rest = text.partition("://")
    before, _, after = rest.partition("@")
    try:
        if separator and (scheme not in ("postgresql", "postgres") or "@" in after or ("@" in rest and "/" in before)):
            raise ValueError
        parts = conninfo_to_dict(text)
        for name in ("port", "connect_timeout"):
            int(parts.get(name) or 0)
    except (ValueError, psycopg.Error):
        raise ConfigurationError(
            "CPQ_GRAPH_POSTGRES_URL is not a URL that PostgreSQL understands (it is not shown, for its password)",
            hint="Write postgresql://user:password@host:port/database, and @ : / ? # % and blanks in the "
            "password as %40 %3A %2F %3F %23 %25 %20.",
        ) from None
