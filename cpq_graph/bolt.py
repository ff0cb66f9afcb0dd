"""How a connection to Neo4j is opened, whoever asks: user, password, TLS.

Arrives: an address. Leaves: a driver. With a CA file of its own the server's certificate is checked against that file
alone; without one `neo4j+s://` and `bolt+s://` check it against the system's, and `+ssc` only encrypts.
"""

from typing import Any

import neo4j

from cpq_graph.errors import ConfigurationError
from cpq_graph.servers import Address


def open_driver(address: Address, password: str = "", **options: Any) -> neo4j.Driver:
    """A driver, not connected yet. Raises ConfigurationError when the CA file cannot be used."""
    auth = (address.user, password) if password else None
    uri = address.uri
    if address.ca_file is not None:
        if not address.ca_file.is_file():
            raise ConfigurationError(
                f"there is no CA file {address.ca_file}", hint="Correct CPQ_GRAPH_NEO4J_CA_FILE, or unset it."
            )
        scheme, separator, rest = uri.partition("://")
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
        raise ConfigurationError(
            f"CPQ_GRAPH_NEO4J_URI is no address of a Neo4j server: {error}",
            hint="Write it as bolt://host:7687, or bolt+s:// with TLS.",
        ) from None
