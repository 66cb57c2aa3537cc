"""What may go wrong between a run and its bucket."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import mfbpi
from mfbpi.execute.session import StoppedError
from mfbpi.plan.sharding import Shard
from mfbpi.results.collecting.collect import collect
from mfbpi.results.storage import files
from mfbpi.results.storage.directory import Store
from mfbpi.results.storage.places import parse
from mfbpi.results.storage.remote import client, leases
from mfbpi_run import cli
from tests.remote.proxy import Proxy, between
from tests.remote.server import Server, free_port
from tests.remote.test_results import rows, run


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for two minutes."""
    monkeypatch.setattr(client, "FIRST_PATIENCE_S", 0.2)
    monkeypatch.setattr(client, "PATIENCE_S", 0.5)


def refused(message: str, *urls: str) -> None:
    """A run there is refused at once, in these words."""
    for url in urls:
        with pytest.raises(mfbpi.UsageError, match=message):
            run(url)


def test_wrong_urls_are_refused() -> None:
    """Each says what is wrong with it, and what was expected."""
    refused("expected s3://BUCKET/PATH", "s3://", "s3:///key")
    refused("no file system is known", "gopher://somewhere/x")
    refused("names between the slashes", "s3://results/a/../b", "s3://results/a//b")
    refused("asks for color; expected endpoint_override", "s3://results/a?color=red")
    refused("expected file:///PATH", "file:relative", "file://elsewhere/x")


def test_secrets_in_urls_are_refused_and_not_repeated() -> None:
    """They would be seen by everyone on the machine, and printed with the command to go on."""
    for url in (
        "s3://AKID:hush@results/x",
        "s3://results/x?secret_key=hush",
        "s3://AKID@results/x",
    ):
        with pytest.raises(mfbpi.UsageError, match="credentials in it") as error:
            run(url)
        assert "hush" not in str(error.value)
        assert "AKID" not in str(error.value)


def test_a_missing_bucket_is_named(server: Server) -> None:
    """By those who write and by those who read."""
    url = server.url("x").replace("results", "nowhere", 1)
    refused("no such bucket; create it first", url)
    for look in (mfbpi.status, mfbpi.load, collect):
        with pytest.raises(mfbpi.UsageError, match="no such bucket"):
            look(url)


def test_refused_credentials_are_named(server: Server) -> None:
    """A server that answers 403 is not asked again and again."""
    with between(server.port, {"403": 1.0}) as proxy:
        refused("credentials are refused", server.url("x", proxy.port))
        assert proxy.counts["403"] <= 2


def test_a_server_that_is_not_there_is_named(server: Server) -> None:
    """Nobody listens; or there is no such name."""
    refused("cannot be reached", server.url("x", free_port()))
    refused("cannot be reached", "s3://results/x?endpoint_override=no.invalid&scheme=http")


def test_commands_say_so_in_a_line(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback, exit code 2."""
    for command in (["status"], ["collect"], ["plot"], ["reproduce"]):
        code = cli.main([*command, server.url("nothing/there")])
        told = capsys.readouterr().err
        assert (code, told.count("\n")) == (2, 1), told
        assert told.startswith("error: ")


def test_an_outage_in_the_middle_stops_the_run_in_good_order(server: Server, corner: str) -> None:
    """What was done is kept, and resume does the rest."""
    with between(server.port, {}) as proxy:
        url = server.url(corner, proxy.port)
        with pytest.raises(StoppedError, match="cannot write"):
            run(url, progress=_After(2, proxy))
        proxy.share = {}
        done = mfbpi.status(url).done
        again = run(url, if_exists="resume")

    assert 2 <= done < 6
    assert rows(again) == rows(run("here"))


class _After(mfbpi.Observer):
    """Ends the connection once some tasks are done."""

    def __init__(self, count: int, proxy: Proxy) -> None:
        self._left, self._proxy = count, proxy

    def finished(self, failure: str | None = None) -> None:
        """One more is done."""
        self._left -= 1
        if self._left == 0:
            self._proxy.share = {"refused": 1.0}


def test_a_second_writer_is_refused(server: Server, corner: str) -> None:
    """As long as the first one lives; shards of one number may write side by side."""
    store = Store(parse(server.url(corner)))
    first, second, other = (
        Store(store.directory, shard) for shard in (Shard(0, 2), Shard(1, 2), Shard(0, 3))
    )
    with store.writing():
        for another in (store, first):
            with pytest.raises(mfbpi.UsageError, match="another mfbpi process"), another.writing():
                pass
    with first.writing(), second.writing():
        for another in (store, first, other):
            with pytest.raises(mfbpi.UsageError, match="another mfbpi process"), another.writing():
                pass
    with store.writing():
        pass
    assert not server.names(corner)


def test_of_writers_that_begin_together_one_at_most_goes_on(server: Server, corner: str) -> None:
    """Eight threads at the same moment, over and over."""
    store, start = Store(parse(server.url(corner))), threading.Barrier(8)
    inside, most = [0], [0]

    def write() -> None:
        for _ in range(5):
            start.wait()
            try:
                with store.writing():
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                    inside[0] -= 1
            except mfbpi.UsageError:
                continue

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] <= 1
    assert not server.names(corner)


def test_a_killed_writer_of_this_machine_is_known_to_be_dead(server: Server, corner: str) -> None:
    """Nobody waits for it; one that lives elsewhere is waited for until it has been silent."""
    url = server.url(corner)
    program = (
        "import os, signal; from mfbpi.results.storage.directory import Store; "
        "from mfbpi.results.storage.places import parse; "
        f"held = Store(parse({url!r})).writing(); held.__enter__(); "
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program], check=False, env=os.environ)
    assert len(server.names(f"{corner}/{leases.FOLDER}")) == 1
    with Store(parse(url)).writing():
        assert len(server.names(f"{corner}/{leases.FOLDER}")) == 1


def test_a_silent_writer_of_another_machine_is_taken_for_dead(
    server: Server, corner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the clock of the server alone."""
    told = json.dumps({"process": "elsewhere 1 2", "written": 4e9}).encode()
    server.put(f"{corner}/{leases.FOLDER}/all-{'0' * 16}.json", told)
    store = Store(parse(server.url(corner)))
    with pytest.raises(mfbpi.UsageError, match="killed elsewhere counts for 60 s"), store.writing():
        pass
    monkeypatch.setattr(leases, "SILENT_S", -1.0)
    with store.writing():
        pass
    assert not server.names(corner)


def test_what_is_broken_off_is_not_there(server: Server, corner: str) -> None:
    """Neither a part of a file, nor a part of a folder, nor an upload half done."""
    place = parse(server.url(corner))

    def broken_off() -> None:
        with files.atomic_stream(place / "x.parquet") as stream:
            stream.write(b"half" * 10_000_000)
            raise KeyboardInterrupt

    def half_filled() -> None:
        with files.atomic_folder(place / "parted") as folder:
            (folder / "rows.parquet").write_bytes(b"half")
            raise KeyboardInterrupt

    for attempt in (broken_off, half_filled):
        with pytest.raises(KeyboardInterrupt):
            attempt()

    assert server.names(corner) == []
    assert server.half_uploads() == 0


def test_large_files_arrive_whole(server: Server, corner: str) -> None:
    """In several parts, on a connection that loses some of them."""
    content = os.urandom(1 << 20) * 25
    with between(server.port, {"503": 0.1, "cut": 0.1}, seed=3) as proxy:
        client.PATIENCE_S = client.FIRST_PATIENCE_S = 60.0
        place = parse(server.url(corner, proxy.port)) / "large"
        files.atomic_write(place, content)

    assert files.read_regular(parse(server.url(corner)) / "large") == content


def test_a_file_system_without_whole_files_gets_them_by_another_name(tmp_path: Path) -> None:
    """fsspec's: written beside, moved, and nothing is left where that fails."""
    place = parse(f"fsspec+local://{tmp_path}/there")
    results = run(str(place))

    assert rows(results) == rows(run("here"))
    assert not list((tmp_path / "there").rglob("*.tmp"))
    (tmp_path / "there" / ".mfbpi-0123456789abcdef.tmp").write_bytes(b"left by a killed one")
    run(str(place), if_exists="resume")
    assert not list((tmp_path / "there").rglob("*.tmp"))


def test_a_port_that_answers_nothing_is_no_server(server: Server) -> None:
    """A connection that is taken and closed."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        threading.Thread(target=_close_all, args=(listening,), daemon=True).start()
        refused("cannot be reached|s3://results", server.url("x", port))


def _close_all(listening: socket.socket) -> None:
    while True:
        try:
            listening.accept()[0].close()
        except OSError:
            return
