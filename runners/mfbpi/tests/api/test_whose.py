"""Whose a module is: the user's, or an installer's, wherever that has put it."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from mfbpi.plan import known
from mfbpi.plan.content import Content


def test_a_notebook_is_the_users_whatever_started_it() -> None:
    """Its kernel is installed, as pytest is; so is the module that was started."""
    assert not known.is_known("__main__")


@pytest.mark.parametrize(
    ("folder", "record", "installed"),
    [
        ("site", "lib_of_test/__init__.py,,\n", True),
        ("site", "other/__init__.py,,\n", False),
        ("lib/site-packages", None, True),
        ("src", None, False),
    ],
)
def test_libraries_elsewhere_on_the_path_are_installed(
    folder: str,
    record: str | None,
    installed: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where an installer wrote them; one that is edited where it lies is its author's."""
    package = tmp_path / folder / "lib_of_test"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def f(): return 1\n")
    if record is not None:
        told = tmp_path / folder / "some-1.0.dist-info"
        told.mkdir()
        (told / "METADATA").write_text("Name: some\nVersion: 1.0\n")
        (told / "RECORD").write_text(record)
    monkeypatch.syspath_prepend(tmp_path / folder)
    module = __import__("lib_of_test")
    try:
        held = Content()
        held.add(types.FunctionType(compile("lib_of_test.f", "", "eval"), {"lib_of_test": module}))
        assert known.is_known("lib_of_test") == installed
        assert ("lib_of_test" not in held.modules) == installed
    finally:
        del sys.modules["lib_of_test"]
