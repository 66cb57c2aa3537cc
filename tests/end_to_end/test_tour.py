"""The notebook of the documentation runs from its first cell to its last."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

TOUR = json.loads((Path(__file__).parents[2] / "docs" / "tour.ipynb").read_text())


def cells(kind: str) -> list[str]:
    """The sources of the cells of a kind, in order."""
    return ["".join(cell["source"]) for cell in TOUR["cells"] if cell["cell_type"] == kind]


def test_cells_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one namespace and an empty directory, as a notebook does."""
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__tour__"}

    for number, source in enumerate(cells("code")):
        exec(compile(source, f"cell {number}", "exec"), namespace)

    assert {line.agent for line in namespace["own"].summary().lines} == {"greedy_q", "uniform"}
    assert namespace["walk"].value >= namespace["free"].value > 0.0


def test_notebook_is_kept_without_outputs() -> None:
    """They would differ at every run."""
    code = [cell for cell in TOUR["cells"] if cell["cell_type"] == "code"]

    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert len({cell["id"] for cell in TOUR["cells"]}) == len(TOUR["cells"])
