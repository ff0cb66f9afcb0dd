"""Certificates of a test's own authority, as the servers and their clients want them on disk."""

from dataclasses import dataclass
from pathlib import Path

import trustme


@dataclass(frozen=True)
class Certificates:
    """`ca` signed `certificate` (with `key`); `other_ca` did not."""

    ca: Path
    other_ca: Path
    certificate: Path
    key: Path


def certificates(folder: Path, *names: str) -> Certificates:
    """A server's certificate for `names` (hosts, addresses)."""
    authority = trustme.CA()
    server = authority.issue_cert(*names)
    made = Certificates(*(folder / name for name in ("ca.pem", "other-ca.pem", "server.crt", "server.key")))
    authority.cert_pem.write_to_path(str(made.ca))
    trustme.CA().cert_pem.write_to_path(str(made.other_ca))
    for blob in server.cert_chain_pems:
        blob.write_to_path(str(made.certificate), append=True)
    server.private_key_pem.write_to_path(str(made.key))
    return made
