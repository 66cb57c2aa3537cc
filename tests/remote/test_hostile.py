"""What others may put into a bucket: readers run none of it, and overwrite nothing for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import mfbpi
from mfbpi.results.collecting.collect import collect
from mfbpi.results.storage.remote import leases
from tests.remote.server import Server
from tests.remote.test_results import run


@pytest.fixture
def hostile(server: Server, corner: str) -> str:
    """A run into whose bucket somebody has put what they liked."""
    url = server.url(corner)
    run(url)
    junk = [b"", b"{" * 100_000, b"[" * 100_000, b"\x80\x04N.", b'{"process": 7}', b"1e999"]
    for number, content in enumerate(junk):
        for name in (
            "_running/driver-{}.json",
            "_running/all-{:016x}.json",
            "_errors/{:016x}.json",
            "_checkpoints/{:016x}.npz",
            f"{leases.FOLDER}/all-{{:016x}}.json",
            "{:016x}.parquet",
            "..%2F..%2F{:016x}.parquet",
            "_run-{}-of-9.json.x",
            "_errors/..%2F{:016x}.json",
        ):
            server.put(f"{corner}/{name.format(number)}", content)
    return url


def test_what_others_put_there_does_no_harm(
    hostile: str, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers name it or pass over it, write nothing on this machine, and run nothing."""
    monkeypatch.setattr(leases, "SILENT_S", -1.0)
    before = sorted(tmp_path.rglob("*"))
    with pytest.warns(mfbpi.MfbpiWarning):
        assert mfbpi.load(hostile).table.num_rows > 0
    with pytest.warns(mfbpi.MfbpiWarning):
        assert mfbpi.status(hostile).done >= 6
    with pytest.warns(mfbpi.MfbpiWarning):
        assert collect(hostile).n_tasks == 6
    with pytest.warns(mfbpi.MfbpiWarning):
        run(hostile, if_exists="resume")
    assert sorted(tmp_path.rglob("*")) == before


def test_pickles_in_metadata_are_not_loaded(server: Server, corner: str, tmp_path: Path) -> None:
    """Of a schema of Arrow's, of pandas', of ours."""
    mark = tmp_path / "pwned"
    code = b"cposix\nsystem\n(S'touch " + str(mark).encode() + b"'\ntR."
    url = server.url(corner)
    results = run(url, 1)
    content = pa.BufferReader(results.files[0].read_bytes())
    found: Any = pa.parquet.read_table(content)
    evil = {
        **found.schema.metadata,
        b"pandas": code,
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": code,
    }
    fields = [field.with_metadata(evil) for field in found.schema]
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(found.cast(pa.schema(fields, metadata=evil)), sink)
    server.put(f"{corner}/{results.files[0].name}", sink.getvalue().to_pybytes())
    for look in (mfbpi.load, mfbpi.status):
        try:
            look(url)
        except (mfbpi.UsageError, mfbpi.MfbpiWarning):
            continue
    assert not mark.exists()
