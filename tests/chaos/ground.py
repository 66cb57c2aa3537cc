"""Where grids are put: a directory, a small disk, or a bucket behind a bad connection."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from mfbpi.results.storage.places import parse
from tests.chaos.grid import Grid
from tests.remote import proxy, server
from tests.remote.proxy import Proxy
from tests.remote.server import CREDENTIALS, Server

#: Share of the requests that come to grief on the way to the bucket, each in its way.
SHARE = dict.fromkeys(("503", "507", "refused", "cut"), 0.01)

PLACES = ("files", "s3")


@attrs.frozen(kw_only=True)
class Ground:
    """Where grids are put.

    Attributes:
        folder: a directory of this machine.
        mode: how grids are carried out.
        server: where they go to instead, if anywhere.
        proxy: what is before the server.
    """

    folder: Path
    mode: str
    server: Server | None = None
    proxy: Proxy | None = None

    def grid(self, name: str) -> Grid:
        """A grid of this name."""
        log = self.folder / f"{name}.log"
        if self.server is None or self.proxy is None:
            return Grid(directory=self.folder / name, log=log, mode=self.mode)
        return Grid(
            directory=parse(self.server.url(name, self.proxy.port)),
            log=log,
            mode=self.mode,
            checkpoints=self.folder / f"{name}.checkpoints",
            environment={**CREDENTIALS, "AWS_EC2_METADATA_DISABLED": "true"},
        )

    def check(self) -> str:
        """Fail if something is left on the server; what befell its requests, in words."""
        if self.server is None or self.proxy is None:
            return ""
        assert self.server.half_uploads() == 0
        assert not [key for key in self.server.names() if key.endswith(".tmp")]
        told = ", ".join(f"{count} {what}" for what, count in sorted(self.proxy.counts.items()))
        return f"; requests: {told}"


@contextmanager
def prepared(folder: Path, mode: str, place: str, seed: int) -> Iterator[Ground]:
    """A ground of a kind, of :data:`PLACES`, as long as the block lasts."""
    if place == "files":
        yield Ground(folder=folder, mode=mode)
        return
    os.environ.update(CREDENTIALS)
    with (
        server.running(folder / "server.log") as found,
        proxy.between(found.port, SHARE, seed) as before,
    ):
        yield Ground(folder=folder, mode=mode, server=found, proxy=before)
