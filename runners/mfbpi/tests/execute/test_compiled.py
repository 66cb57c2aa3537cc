"""Where compiled code is kept, and what is said if nowhere."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from mfbpi.execute.working import compiled
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.registry import Registry


@pytest.fixture
def no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """No home directory, and no variable that stands in for it."""
    monkeypatch.setenv("HOME", "/dev/null/nowhere")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv(compiled.VARIABLE, raising=False)


def test_installation_that_can_be_written_to_needs_nothing(
    registry: Registry, no_home: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Compiled code is kept beside the source, although there is no home."""
    compiled.find_place(registry)

    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("home", ["~", "/dev/null/x", "relative"])
def test_home_that_is_none(home: str, monkeypatch: pytest.MonkeyPatch, no_home: None) -> None:
    """A home that is not known, is no directory, or depends on where one is."""
    monkeypatch.setenv("HOME", home)

    assert not compiled._user_cache_is_writable()


def test_home_is_created_if_it_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_home: None
) -> None:
    """numba creates what is missing; nothing is created by asking."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a/b"))

    assert compiled._user_cache_is_writable()
    assert not (tmp_path / "a").exists()


def test_no_place_at_all(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, no_home: None
) -> None:
    """One sentence that says what to set."""

    def refuse(**_: object) -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    monkeypatch.setattr(compiled, "_is_writable", lambda folder: False)

    with pytest.raises(UsageError, match="set NUMBA_CACHE_DIR to a directory that can be written"):
        compiled.find_place(registry)
