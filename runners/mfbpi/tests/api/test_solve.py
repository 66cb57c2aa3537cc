"""``mfbpi.solve``: optimal values, gaps and policies, and their table."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import mfbpi as library

STAY, GO = [1.0, 0.0], [0.0, 1.0]


def test_by_hand() -> None:
    """Discount 1/2: staying in state 1 pays 1 for ever, 2 in all, and going there first 1."""
    solved = library.solve(library.mdp([[STAY, GO], [GO, STAY]], [[0, 0], [1, 0]]), discount=0.5)

    np.testing.assert_allclose(solved.values, [1.0, 2.0], rtol=1e-14)
    np.testing.assert_allclose(solved.q_values, [[0.5, 1.0], [2.0, 0.5]], rtol=1e-14)
    np.testing.assert_allclose(solved.gaps, [[0.5, 0.0], [0.0, 1.5]], rtol=1e-14)
    assert solved.policy.tolist() == [1, 0]
    assert solved.optimal.tolist() == [[False, True], [True, False]]
    assert solved.value_error < 1e-12
    assert "0      1       1   1    0    yes" in str(solved)


def test_ties_and_terminal_states() -> None:
    """Both actions end: neither is worse, and what follows is worth nothing."""
    model = library.mdp([[GO, GO], [GO, GO]], [[0.3, 0.3], [0, 0]], terminal=[False, True])
    solved = library.solve(model, discount=0.9)

    np.testing.assert_allclose(solved.q_values, [[0.3, 0.3], [0.0, 0.0]], rtol=1e-14)
    assert solved.gaps.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert solved.optimal.all()


@pytest.mark.parametrize("seed", range(20))
def test_random_models(seed: int) -> None:
    """Against value iteration, to the errors that are told."""
    rng = np.random.default_rng(seed)
    n_states, n_actions = int(rng.integers(1, 9)), int(rng.integers(1, 5))
    discount = float(rng.choice([0.1, 0.9, 0.99]))
    transitions = rng.dirichlet(np.full(n_states, 0.5), size=(n_states, n_actions))
    rewards = rng.random((n_states, n_actions))
    solved = library.solve(library.mdp(transitions, rewards), discount=discount)

    q = np.zeros((n_states, n_actions))
    for _ in range(int(40 / (1.0 - discount))):
        q = rewards + discount * transitions @ q.max(axis=1)
    off = solved.value_error + solved.gap_error + 1e-11 / (1.0 - discount)
    np.testing.assert_allclose(solved.q_values, q, rtol=0, atol=off)
    np.testing.assert_allclose(solved.values, q.max(axis=1), rtol=0, atol=off)
    assert (solved.gaps[np.arange(n_states), solved.policy] == 0.0).all()
    least = solved.gaps[~solved.optimal].min(initial=np.inf)
    assert least == pytest.approx(
        library.describe(library.mdp(transitions, rewards), discount=discount).delta_min
    )


@pytest.mark.parametrize("seed", range(12))
def test_the_bounds_of_the_errors_hold(seed: int) -> None:
    """Of V*, Q* and the gaps, against the formulas of one state in rational numbers."""
    rng = np.random.default_rng(seed)
    discount, unit = [0.5, 0.9, 0.999999][seed % 3], [1.0, 1e15, 2.0**-40, 0.3][seed % 4]
    paid = rng.integers(0, 6, 4) / 2.0 * unit
    model = library.mdp(np.ones((1, 4, 1)), [paid], reward_range=(0.0, 3.0 * unit))
    solved = library.solve(model, discount=discount)

    exact = [Fraction(float(reward)) for reward in paid]
    best = max(exact) / (1 - Fraction(discount))
    assert abs(Fraction(float(solved.values[0])) - best) <= Fraction(solved.value_error)
    for a, reward in enumerate(exact):
        value, gap = Fraction(float(solved.q_values[0, a])), Fraction(float(solved.gaps[0, a]))
        assert abs(value - reward - Fraction(discount) * best) <= Fraction(solved.q_error)
        assert abs(gap - (max(exact) - reward)) <= Fraction(solved.gap_error)


def test_a_tie_of_the_data_is_a_gap_within_the_error() -> None:
    """1 and 1 - 2^-50 are the same but for rounding; the gap between the two is a part of it."""
    alone = library.mdp([[[1.0], [1.0]]], [[1.0, 1.0 - 2.0**-50]])
    solved = library.solve(alone, discount=0.5)

    assert solved.gaps[0].tolist() == [0.0, 0.0]
    assert 2.0**-50 <= solved.gap_error < 2.0**-49


def test_tables_have_a_row_for_each_pair(mfbpi: Callable[..., Any]) -> None:
    """From Python and from the command, with the names of a file."""
    Path("two.csv").write_text(
        "s,a,s',p,r,terminated\nhall,wait,hall,1,0,false\nhall,go,room,1,0,false\n"
        "room,wait,room,1,1,false\nroom,go,hall,1,0,false\n"
    )
    where = ("--mdp", "two.csv", "--discount", "0.5")
    for name in ("values.csv", "values.parquet"):
        ended = mfbpi("describe", *where, "--values", name)
        assert ended.code == 0, ended.err
        assert f"values: {name}" in ended.err

    rows = pq.read_table("values.parquet").to_pylist()
    assert rows == pyarrow.csv.read_csv("values.csv").to_pylist()
    assert [(row["state_name"], row["action_name"]) for row in rows if row["optimal"]] == [
        ("hall", "go"),
        ("room", "wait"),
    ]
    solved = library.solve(Path("two.csv"), discount=0.5)
    assert solved.table.to_pylist() == rows
    assert solved.to_pandas().groupby("state")["gap"].max().tolist() == [0.5, 1.5]
    assert "hall" in str(solved)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("values.xlsx", "values.xlsx: expected a name that ends in .csv, .parquet"),
        ("values", "values: expected a name that ends in .csv, .parquet"),
        ("there.csv/values.csv", "cannot write there.csv/values.csv: Not a directory"),
    ],
)
def test_what_cannot_be_written(name: str, message: str, mfbpi: Callable[..., Any]) -> None:
    """One line, and nothing is left behind."""
    np.savez("two.npz", P=[[STAY, GO], [GO, STAY]], R=[[0, 0], [1, 0]])
    Path("there.csv").touch()
    ended = mfbpi("describe", "--mdp", "two.npz", "--values", name)

    assert ended.code == 2
    assert message in ended.err
    assert sorted(path.name for path in Path().iterdir()) == ["there.csv", "two.npz"]
