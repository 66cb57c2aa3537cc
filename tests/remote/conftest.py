"""A server for all tests of this folder, each in a corner of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.remote import server as servers
from tests.remote.server import CREDENTIALS, Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An S3 server with a bucket."""
    with servers.running(tmp_path_factory.mktemp("s3") / "log.txt") as found:
        yield found


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Credentials in the environment, caches and results in a directory of the test."""
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def corner(request: pytest.FixtureRequest) -> str:
    """Where in the bucket a test writes."""
    return str(request.node.name).translate(str.maketrans("[]/ ", "____"))
