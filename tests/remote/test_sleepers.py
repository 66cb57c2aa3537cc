"""Writers to buckets that were taken for dead while their machine slept."""

from __future__ import annotations

import pytest

import mfbpi
from mfbpi.execute.session import StoppedError
from mfbpi.results.storage import files
from mfbpi.results.storage.directory import Store
from mfbpi.results.storage.places import parse
from mfbpi.results.storage.remote import leases
from tests.remote.server import Server
from tests.remote.test_results import rows, run


@pytest.mark.parametrize("taken_over", [True, False])
def test_a_writer_that_slept_looks_before_it_writes(
    server: Server, corner: str, monkeypatch: pytest.MonkeyPatch, taken_over: bool
) -> None:
    """Two minutes later: with its lease gone it writes no more; else it goes on, and is heard."""
    monkeypatch.setattr(leases, "BEAT_S", 1e6)
    directory = parse(server.url(corner))
    with Store(directory).writing():
        files.atomic_write(directory / "before", b"x")
        (lease,) = (directory / leases.FOLDER).iterdir()
        if taken_over:
            lease.unlink()
        now = leases._now()
        monkeypatch.setattr(leases, "_now", lambda: now + 120.0)
        if taken_over:
            for _ in range(2):
                with pytest.raises(
                    OSError, match=r"not heard for 60 s, and another .* `if_exists`"
                ):
                    files.atomic_write(directory / "after", b"x")
        else:
            files.atomic_write(directory / "after", b"x")
        assert (directory / "after").exists() is not taken_over
        assert lease.exists() is not taken_over
        files.atomic_write(parse(server.url(f"{corner}-other")) / "after", b"x")
    assert not server.names(f"{corner}/{leases.FOLDER}")


def test_a_run_that_was_taken_over_ends(
    server: Server, corner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In good order, and what it has not written is run again by who resumes."""
    url = server.url(corner)

    class Sleeper(mfbpi.Observer):
        """Sleeps once a task is done, and is taken for dead."""

        def finished(self, failure: str | None = None) -> None:
            for lease in (parse(url) / leases.FOLDER).iterdir():
                lease.unlink()
            monkeypatch.setattr(leases, "SILENT_S", -1.0)

    with pytest.raises(StoppedError, match="was not heard for"):
        run(url, progress=Sleeper())
    assert mfbpi.status(url).done < 6
    monkeypatch.setattr(leases, "SILENT_S", 60.0)
    assert rows(run(url, if_exists="resume")) == rows(run("here"))
