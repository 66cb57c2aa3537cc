"""An S3 server on this machine, in a process of its own."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

#: What the server takes for credentials; the second must be found nowhere.
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "AKIDTESTTESTTEST", "AWS_SECRET_ACCESS_KEY": "sesame-open-7391"}

_PATIENCE_S = 60.0


@attrs.frozen
class Server:
    """A server with one bucket."""

    port: int
    bucket: str = "results"

    def url(self, key: str, port: int | None = None) -> str:
        """The URL of a place in the bucket, seen directly or through another port."""
        where = f"endpoint_override=127.0.0.1:{port or self.port}&scheme=http"
        return f"s3://{self.bucket}/{key}?{where}"

    def names(self, prefix: str = "") -> list[str]:
        """The objects whose names begin so; those that stand for folders are left out."""
        found: list[str] = []
        last = ""
        while True:
            query = f"list-type=2&prefix={prefix}&start-after={last}"
            names = re.findall(r"<Key>([^<]*)</Key>", self._ask("GET", f"?{query}"))
            if not names:
                return [name for name in found if not name.endswith("/")]
            found, last = found + names, names[-1]

    def content(self, key: str) -> str:
        """The content of an object, as text."""
        return self._ask("GET", f"/{key}")

    def put(self, key: str, content: bytes) -> None:
        """Put an object there, as anybody may who can write to the bucket."""
        self._ask("PUT", f"/{key}", content)

    def half_uploads(self) -> int:
        """How many uploads were begun and not completed."""
        return self._ask("GET", "?uploads").count("<Upload>")

    def _ask(self, method: str, path: str, content: bytes | None = None) -> str:
        address = f"http://127.0.0.1:{self.port}/{self.bucket}{path}"
        request = urllib.request.Request(address, method=method, data=content)
        request.add_header("Authorization", "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3")
        with urllib.request.urlopen(request, timeout=_PATIENCE_S) as answer:
            return str(answer.read().decode("latin-1"))


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(log: Path) -> Iterator[Server]:
    """A server with an empty bucket, as long as the block lasts.

    Args:
        log: file for what it prints.
    """
    server = Server(free_port())
    program = Path(sys.executable).with_name("moto_server")
    with log.open("wb") as printed:
        process = subprocess.Popen(
            [str(program), "-H", "127.0.0.1", "-p", str(server.port)],
            stdout=printed,
            stderr=printed,
        )
    try:
        _wait_for(server, process)
        yield server
    finally:
        process.kill()
        process.wait()


def _wait_for(server: Server, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            server._ask("PUT", "")
        except (OSError, urllib.error.URLError):
            assert process.poll() is None, "the server has ended"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.05)
        else:
            return


def environment() -> dict[str, str]:
    """The environment of a process that knows the credentials, and no other place to ask."""
    return {**os.environ, **CREDENTIALS, "AWS_EC2_METADATA_DISABLED": "true"}
