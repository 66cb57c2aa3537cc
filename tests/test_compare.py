"""The comparison of two checkouts reads what benchmarks print, and sees rows that differ."""

from __future__ import annotations

import pandas as pd

from tests.compare.rows import differences
from tests.compare.speed import cost


def test_the_cost_of_a_line_is_its_first_duration() -> None:
    """Targets, ratios and the costs of others are not taken for it."""
    compiled = "q_ucb, 5 states: compiled 0.262 us/step (target 0.4), numpy Q-learning 23.3 us/step"

    assert cost(compiled) == ("q_ucb, 5 states", 2.62e-07)
    assert cost("mdp_nas, 5 states: 1.34 ms a solution (target 5)") == (
        "mdp_nas, 5 states",
        0.00134,
    )


def test_a_line_without_a_duration_is_left_out() -> None:
    """Ratios, and lines that explain the one above them, are no costs."""
    assert cost("mf_bpi, cost at 50 states over cost at 5: 1.42 (target 3)") is None
    assert cost("  of which gather 12 ms") is None


def test_rows_that_differ_in_the_last_bit_or_are_missing_are_found() -> None:
    """Equal rows are not."""
    row = {"agent": "a", "seed": 0, "step": 0, "episode": 0, "metric": "m", "value": 0.3}
    ours = pd.DataFrame([row, {**row, "step": 200}, {**row, "step": 400}])
    theirs = pd.DataFrame([row, {**row, "step": 200, "value": 0.1 + 0.2}])

    found = differences(ours, theirs)

    assert [key[2] for key in found.index] == [200, 400]
