"""Runs whose results lie in a bucket: the same files and rows, read by every command."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.dataset
import pyarrow.fs
import pytest

import mfbpi
from mfbpi.execute.saving.checkpoint import Checkpoints
from mfbpi.execute.working.worker import run_task
from mfbpi.results.collecting.collect import collect
from mfbpi.results.loaded import Results
from mfbpi.results.storage.places import parse
from mfbpi.results.storage.remote.place import Remote
from mfbpi_core.errors import MfbpiNote
from mfbpi_lib_certificates import storage
from tests.remote.proxy import between
from tests.remote.server import CREDENTIALS, Server


def run(out: str, seeds: int = 3, **settings: Any) -> Results:
    """A few short runs."""
    return mfbpi.run(
        ["q_learning", "uniform"],
        "riverswim",
        seeds=range(seeds),
        out=out,
        **{"executor": "serial", "arrays": True, "checkpoint_every": 0.0, "steps": 400, **settings},
    )


def rows(results: Results) -> list[dict[str, Any]]:
    """All rows, but for the time that they took."""
    return list(results.table.drop_columns(["elapsed_s"]).to_pylist())


def test_rows_are_those_of_a_directory(server: Server, corner: str) -> None:
    """The bucket holds the files of a directory and nothing else, and the same numbers."""
    there, here = run(server.url(corner)), run("here")

    local = {str(p.relative_to("here")) for p in Path("here").rglob("*") if p.is_file()}
    assert rows(there) == rows(here)
    assert {k.removeprefix(f"{corner}/") for k in server.names(corner)} == local - {".lock"}
    assert server.half_uploads() == 0
    assert [len(mfbpi.load(each).arrays()) for each in (server.url(corner), "here")] == [36, 36]


def test_resume_runs_what_is_missing(server: Server, corner: str) -> None:
    """Files that are there stay as they are; the manifest knows of all."""
    url = server.url(corner)
    first = run(url, 2)
    kept = {key: server.content(key) for key in server.names(corner) if "/_" not in key}
    again = run(url, 3, if_exists="resume")

    assert (len(first.tasks), len(again.tasks)) == (4, 6)
    assert {key: server.content(key) for key in kept} == kept
    assert mfbpi.status(url).planned == 6
    with pytest.raises(mfbpi.UsageError, match="already holds results"):
        run(url)
    with pytest.raises(mfbpi.UsageError, match="holds results of other settings"):
        run(url, steps=500, if_exists="resume")


def test_what_is_no_result_is_set_aside(server: Server, corner: str) -> None:
    """A file that was cut by others is moved away, and its task run again."""
    url = server.url(corner)
    before = run(url)
    name = before.files[0].name
    server.put(f"{corner}/{name}", b"PAR1 and no more")
    with pytest.warns(mfbpi.MfbpiWarning, match="the task is run again"):
        again = run(url, if_exists="resume")

    assert rows(again) == rows(before)
    assert [k for k in server.names(f"{corner}/_set_aside") if name in k]


def test_every_reader_reads_a_bucket(server: Server, corner: str) -> None:
    """status, collect in all its forms, plot, summary, reproduce; pandas and Arrow as well."""
    url = server.url(corner)
    results = run(url)
    whole = collect(url)
    collect(url, out="local.csv")
    parted = collect(url, partition=["agent"])
    drawn = results.plot(kinds=["scores"]).save(server.url(f"{corner}/_figures"), "png")

    assert (whole.n_tasks, mfbpi.status(url).done) == (6, 6)
    assert len(pd.read_csv("local.csv")) == whole.n_rows == results.table.num_rows
    assert f"{corner}/_collected/parted/_SUCCESS" in server.names(corner)
    assert _read(server, f"{corner}/_collected/parted").num_rows == whole.n_rows
    assert _read(server, corner).num_rows == whole.n_rows
    assert f"{corner}/_figures/{drawn[0].name}" in server.names(corner)
    assert mfbpi.reproduce(str(results.files[0])).is_same
    assert isinstance(parted.path, Remote)


def _read(server: Server, key: str) -> Any:
    """What Arrow finds in a folder, as any other program does."""
    system = pyarrow.fs.S3FileSystem(endpoint_override=f"127.0.0.1:{server.port}", scheme="http")
    return pyarrow.dataset.dataset(
        f"{server.bucket}/{key}", filesystem=system, partitioning="hive"
    ).to_table()


def test_a_parted_data_set_is_exchanged(server: Server, corner: str) -> None:
    """Files of an earlier one are gone: no row is there twice."""
    url = server.url(corner)
    run(url)
    collect(url, partition=["agent", "env", "metric"])
    found = collect(url, partition=["env"])

    assert _read(server, f"{corner}/_collected/parted").num_rows == found.n_rows


def test_checkpoints_lie_on_this_machine_unless_told_otherwise(
    server: Server, corner: str, tmp_path: Path
) -> None:
    """Where is said; the bucket holds them where it is asked to."""
    settings: dict[str, Any] = {"checkpoint_every": 1e-9, "eval_every": 50}
    with pytest.warns(MfbpiNote, match="checkpoints of long runs lie on this machine"):
        run(server.url(f"{corner}/a"), 1, **settings)

    assert list((tmp_path / "cache" / "mfbpi").glob("*/_checkpoints"))
    assert not server.names(f"{corner}/a/_checkpoints")


def test_checkpoints_may_lie_in_a_bucket(server: Server, corner: str) -> None:
    """A worker saves there, goes on from there, and the driver removes what is done."""
    task = run("here", 1, eval_every=50).tasks[0]
    places = {name: parse(server.url(f"{corner}/{name}")) for name in ("results", "saved")}
    checkpoints = Checkpoints(
        directory=places["results"], every_s=1e-9, resume=True, elsewhere=places["saved"]
    )
    first, second = (run_task(task.to_json(), checkpoints) for _ in range(2))

    assert (first.status, second.status) == ("done", "done")
    assert server.names(corner) == [f"{corner}/saved/_checkpoints/{task.task_id}.npz"]
    settings: dict[str, Any] = {"eval_every": 50, "checkpoint_dir": server.url(f"{corner}/saved")}
    run(server.url(f"{corner}/results"), 1, **settings)
    assert server.names(f"{corner}/saved") == []


def test_certificates_are_verified_where_they_lie(
    server: Server, corner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A certificate in a bucket, with the arrays beside it; not one that is too large."""
    found = mfbpi.run(
        "uniform",
        mfbpi.environment("riverswim", n_states=3),
        seeds=0,
        discount=0.9,
        steps=20_000,
        stop="kl_box",
        epsilon=3.0,
        metrics="visit_entropy",
        out=server.url(corner),
        executor="serial",
        checkpoint_every=0.0,
    )
    certificate = found.certificate(found.tasks[0])

    assert certificate is not None
    assert mfbpi.verify(str(certificate)).valid
    with pytest.raises(mfbpi.UsageError, match="cannot read"):
        mfbpi.verify(server.url(f"{corner}/none.json"))
    monkeypatch.setattr(storage, "LARGEST_JSON", 100)
    with pytest.raises(mfbpi.UsageError, match="is larger than 0 MiB"):
        mfbpi.verify(str(certificate))


def test_requests_that_come_to_grief_are_made_again(server: Server, corner: str) -> None:
    """With a fifth of them refused, cut, or answered 503 or 507, the results are the same."""
    share = dict.fromkeys(("503", "507", "refused", "cut"), 0.05)
    with between(server.port, share, seed=1) as proxy:
        there = run(server.url(corner, proxy.port), 2, arrays=False)
        assert rows(mfbpi.load(server.url(corner, proxy.port))) == rows(there)
        assert sum(proxy.counts.values()) - proxy.counts["passed"] > 3

    assert rows(there) == rows(run("here", 2, arrays=False))
    assert not [key for key in server.names(corner) if "_writers" in key or "_running" in key]


def test_credentials_are_in_no_result(server: Server, corner: str) -> None:
    """Neither in what is written nor in names."""
    run(server.url(corner), executor="process", jobs=1)
    keys = server.names(corner)

    assert keys
    for secret in CREDENTIALS.values():
        assert not [key for key in keys if secret in key or secret in server.content(key)]


def test_a_log_grows_by_lines(server: Server, corner: str) -> None:
    """What is appended comes after what is there, though objects can only be written whole."""
    run(server.url(corner), 1)
    run(server.url(corner), 2, if_exists="resume")

    lines = server.content(f"{corner}/_log.txt").splitlines()
    assert [re.sub(r"^\S+ \S+ (\w+):.*", r"\1", line) for line in lines] == ["begun", "ended"] * 2
