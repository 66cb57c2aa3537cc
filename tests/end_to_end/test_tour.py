"""The notebook of the documentation runs from its first cell to its last."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

TOUR = json.loads((Path(__file__).parents[2] / "docs" / "tour.ipynb").read_text())


def cells(kind: str) -> list[str]:
    """The sources of the cells of a kind, in order."""
    return ["".join(cell["source"]) for cell in TOUR["cells"] if cell["cell_type"] == kind]


def show(source: str, name: str, namespace: dict[str, Any]) -> None:
    """Run a cell, and render what its last line is worth, as a notebook does."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), namespace)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
        assert getattr(value, "_repr_html_", value.__repr__)()


def test_cells_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one namespace and an empty directory, as a notebook does."""
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__tour__"}

    for number, source in enumerate(cells("code")):
        show(source, f"cell {number}", namespace)

    assert {line.agent for line in namespace["own"].summary().lines} == {"greedy_q", "uniform"}
    assert namespace["walk"].value >= namespace["free"].value > 0.0


def test_notebook_is_kept_without_outputs() -> None:
    """They would differ at every run."""
    code = [cell for cell in TOUR["cells"] if cell["cell_type"] == "code"]

    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert len({cell["id"] for cell in TOUR["cells"]}) == len(TOUR["cells"])
