"""Packages of which a part is gone stop nothing: they are named, and the rest goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


@pytest.mark.parametrize("metadata", [None, "", "Version: 2.0\n"])
def test_half_removed_package_is_a_warning(
    metadata: str | None, mfbpi: Command, toy_run: Command, broken_plugin: Path
) -> None:
    """Entry points without METADATA, or with an empty one: it is named, everything else works."""
    file = broken_plugin / "mfbpi_broken-2.0.dist-info" / "METADATA"
    file.unlink()
    if metadata is not None:
        file.write_text(metadata)
    ended = mfbpi("list")

    assert ended.code == 0
    assert "biased" in ended.out
    [line] = ended.err.splitlines()
    assert line.startswith("warning: plugin mfbpi-broken 2.0 failed to load: PluginError: it has")
    assert "pip install --force-reinstall mfbpi-broken" in line
    assert "failed at metadata" in mfbpi("plugins").out
    assert toy_run().code == 0


def test_unreadable_entry_points_are_a_warning(mfbpi: Command, broken_plugin: Path) -> None:
    """One file of random bytes hides nobody else's plugins."""
    info = broken_plugin / "mfbpi_broken-2.0.dist-info"
    (info / "entry_points.txt").write_bytes(b"\xff\xfe[mfbpi]\x00")
    ended = mfbpi("list")

    assert ended.code == 0
    assert "biased" in ended.out
    [line] = ended.err.splitlines()
    assert "plugin mfbpi-broken 2.0 failed to load: PluginError: its entry_points.txt" in line
