"""What paths and URLs of results mean, and which are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import mfbpi
from mfbpi.results.storage.places import parse
from mfbpi_core.errors import MfbpiWarning, UsageError


def test_tilde_is_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """As shells have it, which leave ``--out=~/x`` alone; elsewhere it is a name."""
    monkeypatch.setenv("HOME", "/home/ada")

    assert parse("~/study") == Path("/home/ada/study")
    assert parse("~") == Path("/home/ada")
    assert parse("./~/study") == Path("~/study")
    assert parse("a~b") == Path("a~b")
    assert parse("~nobody-is-called-so/x") == Path("~nobody-is-called-so/x")
    assert parse(Path("~/study")) == Path("~/study")


@pytest.mark.parametrize("given", ["s3:/bucket/x", "S3:bucket", "gs:/bucket", "hdfs:/x/y"])
def test_a_slash_too_few_makes_no_directory(given: str) -> None:
    """What was meant for a bucket is not written here."""
    with pytest.raises(UsageError, match=r"with two slashes; a directory of this name is \./"):
        parse(given)
    assert parse(f"./{given}") == Path(given)


@pytest.mark.parametrize("given", ["file:///tmp/x?y=1", "file:///tmp/x#y"])
def test_nothing_of_a_file_url_is_dropped(given: str) -> None:
    """Neither what looks like a question nor like a place in a page."""
    with pytest.raises(UsageError, match="%3F is"):
        parse(given)
    assert parse("file:///tmp/x%3Fy%23z") == Path("/tmp/x?y#z")


def test_results_in_memory_are_said_to_pass() -> None:
    """They can be read in this process, and are lost with it."""
    pytest.importorskip("fsspec")
    with pytest.warns(MfbpiWarning, match=r"memory://lost is in the memory of this process"):
        written = mfbpi.run(
            "uniform",
            "riverswim",
            seeds=0,
            steps=20,
            out="memory://lost",
            checkpoint_dir="checkpoints",
            executor="serial",
        )
    assert len(written.tasks) == 1
