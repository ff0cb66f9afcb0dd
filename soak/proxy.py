"""A TCP proxy in front of a server, whose connections can be cut: as a firewall, a cable or a failover would.

Arrives: a host and port. Leaves: `Proxy`, an address that reaches it, for as long as it is let.
"""

import asyncio
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

LOOPBACK = "127.0.0.1"


class Proxy:
    """Passes bytes on. After `allowed` bytes from the server a connection is cut, by a reset and not a farewell, and
    `cuts` counts down; at 0 no more are cut (None: all are). With `allowed` None nothing is cut."""

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._loop = asyncio.new_event_loop()
        self._writers: set[asyncio.StreamWriter] = set()
        self._started = threading.Event()
        self._closed = asyncio.Event()
        self.port = 0
        self.allowed: int | None = None
        self.cuts: int | None = None
        self.connections = 0

    def cut(self) -> None:
        """Cuts every connection that is open."""
        self._loop.call_soon_threadsafe(self._cut_all)

    def _cut_all(self) -> None:
        for writer in list(self._writers):
            _reset(writer)

    def serve(self) -> None:
        """Serves until `close`; to be run in a thread."""
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        listening = await asyncio.start_server(self._connected, LOOPBACK, 0)
        self.port = listening.sockets[0].getsockname()[1]
        self._started.set()
        await self._closed.wait()
        listening.close()
        self._cut_all()
        # Those that were cut notice it.
        await asyncio.sleep(0.05)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            up_reader, up_writer = await asyncio.open_connection(*self._server)
        except OSError:
            _reset(writer)
            return
        pair = {writer, up_writer}
        self._writers |= pair
        try:
            await asyncio.gather(self._pass(reader, up_writer, None), self._pass(up_reader, writer, self.allowed))
        finally:
            self._writers -= pair
            for each in pair:
                _reset(each)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, allowed: int | None) -> None:
        passed = 0
        with suppress(OSError):
            while piece := await reader.read(16_384):
                passed += len(piece)
                if allowed is not None and passed > allowed and self.cuts != 0:
                    self.cuts = self.cuts - 1 if self.cuts is not None else None
                    break
                writer.write(piece)
                await writer.drain()
        # Either side that ends ends both.
        for each in list(self._writers & {writer}):
            _reset(each)

    def wait(self) -> None:
        """Waits until it listens."""
        self._started.wait(10)

    def close(self) -> None:
        """Cuts what is open and listens no more."""
        self._loop.call_soon_threadsafe(self._closed.set)


def _reset(writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        peer: socket.socket | None = writer.get_extra_info("socket")
        if peer is not None:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@contextmanager
def proxy_to(host: str, port: int) -> Iterator[Proxy]:
    """A proxy to a server for as long as the block lasts."""
    proxy = Proxy(host, port)
    thread = threading.Thread(target=proxy.serve, daemon=True)
    thread.start()
    proxy.wait()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join(10)
