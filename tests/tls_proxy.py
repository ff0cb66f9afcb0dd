"""TLS in front of a PostgreSQL whose build has none, as a TLS-terminating pooler does it: by PostgreSQL's own
negotiation, with real certificates, in a thread."""

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# The first message of a client that wants TLS (protocol, "SSLRequest"): length 8, code 80877103.
SSL_REQUEST = (8).to_bytes(4) + (80877103).to_bytes(4)


@contextmanager
def tls_proxy(port: int, certificate: Path, key: Path) -> Iterator[int]:
    """The port of 127.0.0.1 at which the server of `port` answers over TLS, and over nothing else."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)

    async def serve(client: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, ssl.SSLError):
            if await client.readexactly(8) != SSL_REQUEST:
                answer.close()
                return
            answer.write(b"S")
            await answer.drain()
            await answer.start_tls(context)
            server, request = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(_pump(client, request), _pump(server, answer))

    loop = asyncio.new_event_loop()
    listening = loop.run_until_complete(asyncio.start_server(serve, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield int(listening.sockets[0].getsockname()[1])
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError, ssl.SSLError):
        while data := await source.read(1 << 16):
            target.write(data)
            await target.drain()
    with suppress(OSError, ssl.SSLError):
        target.close()
