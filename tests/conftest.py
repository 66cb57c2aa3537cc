"""Distributions that exist on sys.path only: real metadata, real discovery, no pip."""

import importlib
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest

from mfbpi_core import Registry

#: Modules with toy plugins.
TOYS = Path(__file__).parent / "kit" / "toys"

Install = Callable[..., Registry]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install distributions by name and module; returns a registry of those installed so far."""
    before = set(sys.modules)
    for folder in (TOYS, tmp_path):
        monkeypatch.syspath_prepend(str(folder))
    installed: list[str] = []

    def add(
        name: str,
        module: str,
        source: str = "",
        *,
        requires: tuple[str, ...] = ("mfbpi-core>=0.1,<1",),
        entry: str = "",
    ) -> Registry:
        info = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0"]
        lines += [f"Requires-Dist: {requirement}" for requirement in requires]
        (info / "METADATA").write_text("\n".join(lines) + "\n")
        (info / "entry_points.txt").write_text(f"[mfbpi]\n{entry or module} = {module}\n")
        if source:
            (tmp_path / f"{module}.py").write_text(source)
        importlib.invalidate_caches()
        installed.append(name)
        points = [point for known in installed for point in distribution(known).entry_points]
        return Registry.discover(points)

    yield add
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").parent in (TOYS, tmp_path):
            del sys.modules[name]
