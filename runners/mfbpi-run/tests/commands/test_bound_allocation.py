"""``mfbpi bound --allocation``: a bound at an allocation that is given."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Command = Callable[..., Any]

RIVER = ("--env", "riverswim", "--discount", "0.95")

#: The simplest allocation of two actions in five states that a walk follows: left for ever.
LEFT = [[1.0, 0.0], *[[0.0, 0.0]] * 4]


@pytest.mark.parametrize("suffix", [".json", ".npy", ".npz"])
def test_optimal_allocation_read_back(mfbpi: Command, tmp_path: Path, suffix: str) -> None:
    """Whatever the file, the bound there is the least value again."""
    few = ("bound", "--bound", "u", *RIVER, "--constraint", "navigation", "--json")
    solved, file = mfbpi(*few), tmp_path / f"allocation{suffix}"
    if suffix == ".json":
        file.write_text(solved.out)
    elif suffix == ".npy":
        np.save(file, solved.json["allocation"])
    else:
        np.savez(file, allocation=solved.json["allocation"])
    evaluated = mfbpi(*few, "--allocation", file).json

    assert evaluated["value"] == pytest.approx(solved.json["value"], rel=1e-9)
    assert (evaluated["status"], evaluated["relative_gap"]) == ("evaluated", None)
    assert evaluated["residual"] <= 1e-12


def test_uniform_allocation_is_worse(mfbpi: Command) -> None:
    """Equal shares cost more than the optimum."""
    few = ("bound", "--bound", "u", *RIVER, "--json")
    evaluated = mfbpi(*few, "--allocation", "uniform").json

    assert evaluated["value"] > mfbpi(*few).json["value"]
    assert evaluated["allocation"] == [[0.1, 0.1]] * 5


def test_terminal_states_get_no_share(mfbpi: Command, write_mdp: Callable[..., Path]) -> None:
    """Uniform means over the pairs that take a decision."""
    file = write_mdp(terminal=np.array([False, True]), R=[[0.5, 0.0], [0.0, 0.0]])
    uniform = ("--allocation", "uniform", "--constraint", "navigation", "--json")
    evaluated = mfbpi("bound", "--bound", "u", "--mdp", file, *uniform).json

    assert evaluated["allocation"] == [[0.5, 0.5], [0.0, 0.0]]
    assert evaluated["residual"] == 0.0


def test_infeasible_allocation_is_refused(mfbpi: Command) -> None:
    """No walk takes every action of every state of RiverSwim equally often."""
    navigation = ("--allocation", "uniform", "--constraint", "navigation")
    ended = mfbpi("bound", "--bound", "u", *RIVER, *navigation)

    assert ended.code == 2
    assert "no walk follows this allocation: it violates a flow equation by" in ended.err
    assert "--constraint generative" in ended.err


def test_allocation_that_leaves_pairs_out(mfbpi: Command, tmp_path: Path) -> None:
    """A walk may follow it, but learns nothing: infinite, for a reason of its own."""
    file = tmp_path / "left.json"
    file.write_text(json.dumps({"allocation": LEFT}))
    navigation = ("--allocation", file, "--constraint", "navigation", "--json")
    evaluated = mfbpi("bound", "--bound", "u", *RIVER, *navigation).json

    assert (evaluated["value"], evaluated["status"]) == ("inf", "infinite")
    assert evaluated["reason"] == "the allocation never samples a pair that matters"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", "{}", "holds no allocation that can be read ('allocation')"),
        ("a.json", "[1]", "holds no allocation that can be read"),
        ("a.json", "not JSON", "holds no allocation that can be read"),
        (
            "a.json",
            '{"allocation": null}',
            "not of objects: allocation is None",
        ),
        ("a.json", '{"allocation": [[1.0]]}', "an array of shape (1, 1); expected (5, 2)"),
        ("a.npy", "", "holds no allocation that can be read"),
        ("a.npz", "", "is not an .npz file of plain arrays"),
    ],
)
def test_bad_allocation_file_is_explained(
    mfbpi: Command, name: str, content: str, message: str
) -> None:
    """The file is named."""
    Path(name).write_text(content)
    ended = mfbpi("bound", "--bound", "u", *RIVER, "--allocation", name)

    assert ended.code == 2
    assert name in ended.err
    assert message in ended.err


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[0.2, 0.2]] * 5, "expected a distribution: entries of 0 or more that sum to 1"),
        ([[-0.1, 0.3]] * 5, "that sum to 1 (allocation[0, 0] is -0.1)"),
        ([[np.nan, 0.1]] * 5, "a.npy: allocation[0, 0] is nan; expected finite numbers"),
        ([[0.1j, 0.1]] * 5, "not of complex numbers: allocation[0, 0] is 0.1j"),
        ([["0.1", "0.1"]] * 5, "not of text: allocation[0, 0] is '0.1'"),
        (np.zeros(5, dtype=[("left", float)]), "not of records: allocation[0] is"),
        ([[0.1] * 5] * 2, "shape (2, 5); expected (5, 2) = [S, A]; it looks like [A, S]"),
        (0.5, "holds an array of shape (); expected (5, 2)"),
    ],
)
def test_allocation_must_be_a_distribution(mfbpi: Command, weights: Any, message: str) -> None:
    """Real numbers of 0 or more that sum to 1, one for each pair."""
    np.save("a.npy", weights)
    ended = mfbpi("bound", "--bound", "u", *RIVER, "--allocation", "a.npy")

    assert ended.code == 2
    assert message in ended.err


def test_rounding_in_an_allocation_is_forgiven(mfbpi: Command) -> None:
    """An entry of -1e-17 counts as 0."""
    few = ("bound", "--bound", "u", *RIVER, "--json", "--allocation")
    exact, rounded = np.full((5, 2), 0.1), np.full((5, 2), 0.1)
    exact[1], rounded[1] = [0.2, 0.0], [0.2, -1e-17]
    np.save("exact.npy", exact)
    np.save("rounded.npy", rounded)

    assert mfbpi(*few, "rounded.npy").out == mfbpi(*few, "exact.npy").out


@pytest.mark.parametrize(("name", "mark"), [("a.json", b"\xef\xbb\xbf"), ("archive.npy", b"")])
def test_files_of_other_programs(mfbpi: Command, name: str, mark: bytes) -> None:
    """JSON with a byte-order mark is read; an archive called .npy is refused in one line."""
    np.savez("allocation.npz", allocation=np.full((5, 2), 0.1))
    content = json.dumps({"allocation": [[0.1, 0.1]] * 5}).encode()
    Path(name).write_bytes(mark + content if mark else Path("allocation.npz").read_bytes())
    ended = mfbpi("bound", "--bound", "u", *RIVER, "--allocation", name, "--json")

    assert ended.code == (0 if mark else 2)
    assert ("holds no allocation that can be read" in ended.err) == (not mark)
    assert "Traceback" not in ended.err


def test_archive_without_allocation(mfbpi: Command) -> None:
    """The arrays that it does have are listed."""
    np.savez("a.npz", weights=np.ones(2))
    ended = mfbpi("bound", "--bound", "u", *RIVER, "--allocation", "a.npz")

    assert ended.code == 2
    assert "a.npz has no array 'allocation'; it has: weights" in ended.err
