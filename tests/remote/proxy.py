"""A way to a server on which a share of the requests come to grief."""

from __future__ import annotations

import http.client
import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: What may befall a request: an answer of the server, a connection that is cut before it is
#: passed on, or after it was.
MISHAPS = ("503", "507", "403", "refused", "cut")

_SKIPPED = ("connection", "transfer-encoding", "content-length")


class Proxy(ThreadingHTTPServer):
    """Passes requests on to a server of this machine, but for a share of them.

    Attributes:
        share: of requests that come to grief, by mishap.
        counts: how many did.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, share: dict[str, float], seed: int = 0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target, self.share, self.counts = port, share, Counter[str]()
        self._rng, self._lock = random.Random(seed), threading.Lock()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    def fate(self) -> str:
        """What befalls the next request; empty: nothing."""
        with self._lock:
            drawn = self._rng.random()
            for mishap, share in self.share.items():
                drawn -= share
                if drawn < 0.0:
                    self.counts[mishap] += 1
                    return mishap
            self.counts["passed"] += 1
            return ""

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that are killed leave half a request behind."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def _pass_on(self) -> None:
        content = self._content()
        fate = self.server.fate()
        if fate.isdecimal():
            self._answer(int(fate))
        elif fate == "refused":
            self._cut()
        else:
            self._forward(content, fate)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _pass_on  # noqa: N815 - names of the library

    def _content(self) -> bytes:
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return b"".join(self._chunks())
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().split(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass

    def _answer(self, status: int) -> None:
        code = {503: "SlowDown", 507: "XMinioStorageFull", 403: "AccessDenied"}[status]
        body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>"
        content = b"" if self.command == "HEAD" else body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _cut(self) -> None:
        """End the connection at once, so that the client is told of a reset."""
        now = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
        self.close_connection = True
        self.connection.close()

    def _forward(self, content: bytes, fate: str) -> None:
        there = http.client.HTTPConnection("127.0.0.1", self.server.target, timeout=60)
        kept = {k: v for k, v in self.headers.items() if k.lower() not in (*_SKIPPED, "expect")}
        there.request(
            self.command, self.path, content, {**kept, "Content-Length": str(len(content))}
        )
        answer = there.getresponse()
        body = answer.read()
        there.close()
        if fate == "cut":
            self._cut()
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _SKIPPED or (
                name.lower() == "content-length" and self.command == "HEAD"
            ):
                self.send_header(name, value)
        if self.command != "HEAD":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@contextmanager
def between(port: int, share: dict[str, float], seed: int = 0) -> Iterator[Proxy]:
    """A proxy before a server, as long as the block lasts."""
    proxy = Proxy(port, share, seed)
    thread = threading.Thread(target=proxy.serve_forever, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()
