"""What the source's role may do beyond reading, and who could listen."""

import ipaddress

from psycopg.conninfo import conninfo_to_dict

from extract.source import Source


def warnings(source: Source) -> list[str]:
    """In words, one each; empty for a role as grants.sql makes it, over TLS or on this machine."""
    found = []
    row = source.connection.execute(
        "SELECT rolname, rolsuper, rolcreatedb OR rolcreaterole, has_database_privilege(current_database(), 'CREATE')"
        " FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    if row:
        name, superuser, makes, creates = row
        if superuser:
            found.append(f"role {name} is a superuser")
        elif makes or creates:
            found.append(f"role {name} may create more than it needs")
    host = conninfo_to_dict(source.url.get_secret_value()).get("host") or ""
    if not source.connection.pgconn.ssl_in_use and not _is_here(str(host)):
        found.append("the connection is not encrypted")
    return found


def _is_here(host: str) -> bool:
    """Whether a host is this machine (a path is a socket's)."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in ("", "localhost") or host.startswith("/")
