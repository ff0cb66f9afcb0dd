"""How a connection to Neo4j is opened, whoever asks: user, password, TLS.

Arrives: an address. Leaves: a driver. With a CA file of its own the server's certificate is checked against that file
alone; without one `neo4j+s://` and `bolt+s://` check it against the system's, and `+ssc` only encrypts.
"""

import ssl
from collections.abc import Iterator
from typing import Any

import neo4j
from neo4j.exceptions import AuthError

from cpq_graph.errors import ConfigurationError, TargetError
from cpq_graph.servers import Address

SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


def open_driver(address: Address, password: str = "", **options: Any) -> neo4j.Driver:
    """A driver, not connected yet. Raises ConfigurationError when the CA file cannot be used."""
    auth = (address.user, password) if password else None
    uri = address.uri
    scheme, separator, rest = uri.partition("://")
    # The driver would speak HTTP, too.
    if scheme not in SCHEMES or not rest:
        raise _no_address(f"{scheme}://" if separator else "it has no scheme")
    if address.ca_file is not None:
        if not address.ca_file.is_file():
            raise ConfigurationError(
                f"there is no CA file {address.ca_file}", hint="Correct CPQ_GRAPH_NEO4J_CA_FILE, or unset it."
            )
        if scheme not in ("bolt+s", "neo4j+s"):
            raise ConfigurationError(
                f"CPQ_GRAPH_NEO4J_CA_FILE is of no use with {scheme}://",
                hint="Write CPQ_GRAPH_NEO4J_URI with bolt+s:// or neo4j+s://, or unset CPQ_GRAPH_NEO4J_CA_FILE.",
            )
        # The driver takes a CA of one's own only with the plain schemes.
        uri = scheme.removesuffix("+s") + separator + rest
        options |= {"encrypted": True, "trusted_certificates": neo4j.TrustCustomCAs(str(address.ca_file))}
    try:
        return neo4j.GraphDatabase.driver(uri, auth=auth, **options)
    except (neo4j.exceptions.ConfigurationError, ValueError) as error:
        raise _no_address(str(error)) from None


def _no_address(why: str) -> ConfigurationError:
    return ConfigurationError(
        f"CPQ_GRAPH_NEO4J_URI is no address of a Neo4j server: {why}",
        hint="Write it as bolt://host:7687, or bolt+s:// with TLS.",
    )


def unreachable(address: Address, error: Exception) -> TargetError:  # noqa: PLR0911 - one return a cause
    """What a failed connection means, and what to do."""
    where = f"Neo4j at {address.uri}"
    said = " ".join((getattr(error, "message", None) or str(error)).split())
    causes = list(_causes(error))
    if isinstance(error, AuthError):
        if "missing key" in said:
            return TargetError(f"{where} asks for a password", hint="Set CPQ_GRAPH_NEO4J_PASSWORD.")
        return TargetError(
            f"{where} does not let user {address.user} in: {said}",
            hint="Check CPQ_GRAPH_NEO4J_USER and CPQ_GRAPH_NEO4J_PASSWORD.",
        )
    if "DatabaseNotFound" in (getattr(error, "code", None) or ""):
        return TargetError(f"{where} has no database {address.database}", hint="Check CPQ_GRAPH_NEO4J_DATABASE.")
    if refused := next((each for each in causes if isinstance(each, ssl.SSLCertVerificationError)), None):
        return TargetError(
            f"{where} is not trusted: {refused.verify_message}",
            hint="Is the host right, and its CA in the file that CPQ_GRAPH_NEO4J_CA_FILE names?",
        )
    if any(isinstance(each, ssl.SSLError) for each in causes):
        return TargetError(f"{where} does not speak TLS", hint="Write CPQ_GRAPH_NEO4J_URI with bolt:// or neo4j://.")
    if "incomplete handshake" in said:
        return TargetError(
            f"{where} ended the connection at once", hint="Does it want TLS? Then write bolt+s:// or neo4j+s://."
        )
    if any(isinstance(each, ConnectionRefusedError) for each in causes):
        return TargetError(
            f"{where} does not answer: nothing listens there",
            hint="Start it (the local one: cpq-graph stack up), or check CPQ_GRAPH_NEO4J_URI.",
        )
    return TargetError(f"{where} does not answer: {said}", hint="Check CPQ_GRAPH_NEO4J_URI; see: cpq-graph doctor")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
