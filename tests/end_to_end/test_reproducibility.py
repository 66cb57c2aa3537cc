"""The same rows, however they are computed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

STEPS = 1_200

Command = Callable[..., Any]
Rows = Callable[[Path], list[dict[str, Any]]]


def run(mfbpi_run: Command, out: str, *arguments: object, agents: tuple[str, ...] = ()) -> None:
    """MF-BPI on RiverSwim, three seeds, with further agents and arguments."""
    names = [text for agent in ("mf_bpi", *agents) for text in ("--agent", agent)]
    grid = ("--env", "riverswim", "--steps", STEPS, "--seeds", "0:3", "--out", out)
    ended = mfbpi_run(*names, *grid, *arguments)
    assert ended.returncode == 0, ended.stderr


@pytest.fixture(scope="session")
def reference_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the reference is computed, once for all tests."""
    return tmp_path_factory.mktemp("reference")


@pytest.fixture
def reference(mfbpi_run: Command, rows: Rows, reference_directory: Path) -> list[dict[str, Any]]:
    """The rows that one process computes, one task after the other."""
    if not any(reference_directory.iterdir()):
        run(mfbpi_run, str(reference_directory), "--executor", "serial")
    return rows(reference_directory)


def test_replicas_differ_pairwise(reference: list[dict[str, Any]]) -> None:
    """Seeds have an effect."""
    by_seed = {
        seed: [row["value"] for row in reference if row["seed"] == seed] for seed in range(3)
    }

    for one, other in itertools.combinations(by_seed.values(), 2):
        assert one != other


@pytest.mark.parametrize("jobs", [1, 2])
def test_any_number_of_processes_gives_the_serial_rows(
    jobs: int, mfbpi_run: Command, rows: Rows, reference: list[dict[str, Any]], tmp_path: Path
) -> None:
    """``--jobs 1`` and ``--jobs 2`` agree to the bit, with the serial executor too."""
    run(mfbpi_run, "x", "--jobs", jobs)

    assert rows(tmp_path / "x") == reference


def test_common_steps_agree_for_any_evaluation_interval(
    mfbpi_run: Command, rows: Rows, reference: list[dict[str, Any]], tmp_path: Path
) -> None:
    """``--eval-every 100`` and 200 share the steps 0, 200, 400, ..."""
    run(mfbpi_run, "x", "--executor", "serial", "--eval-every", 100)
    keys = ("seed", "step", "metric")
    often = {tuple(row[key] for key in keys): row["value"] for row in rows(tmp_path / "x")}

    assert len(often) > len(reference)
    for row in reference:
        assert often[tuple(row[key] for key in keys)] == row["value"]


@pytest.mark.parametrize("order", [("plain", "biased"), ("biased", "plain")])
def test_order_and_company_of_agents_change_nobody_s_rows(
    order: tuple[str, ...],
    mfbpi_run: Command,
    rows: Rows,
    reference: list[dict[str, Any]],
    tmp_path: Path,
) -> None:
    """MF-BPI's rows are those that it has alone."""
    run(mfbpi_run, "x", "--executor", "serial", agents=order)
    found = rows(tmp_path / "x")

    assert {row["agent"] for row in found} == {"mf_bpi", "plain", "biased"}
    assert [row for row in found if row["agent"] == "mf_bpi"] == reference


def test_poisoned_global_generators_change_nothing(
    mfbpi_run: Command,
    rows: Rows,
    reference: list[dict[str, Any]],
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    """Every process starts with global generators in another state."""
    poison = tmp_path / "poison"
    poison.mkdir()
    (poison / "sitecustomize.py").write_text(
        "import os, random\nimport numpy\n"
        "random.seed(os.getpid())\nnumpy.random.seed(os.getpid() % 2**32)\n"
    )
    environment["PYTHONPATH"] = f"{poison}:{environment['PYTHONPATH']}"
    environment["PYTHONHASHSEED"] = "7"
    run(mfbpi_run, "x", "--jobs", 2)

    assert rows(tmp_path / "x") == reference
