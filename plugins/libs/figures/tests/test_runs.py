"""Rows become curves, and runs of different length stay apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mfbpi_lib_figures.runs import Curve, Quantity, common_steps, counted, curves, finals


def test_curves_are_sorted_by_step_whatever_the_order_of_rows(table: Any) -> None:
    """Parts of a table come in any order."""
    rows = [("a", "e", 0, step, "m", float(step)) for step in (400, 0, 200)]

    curve = curves(table(rows), "m")["a", "e"][0]

    assert curve.steps.tolist() == [0, 200, 400]
    assert curve.values.tolist() == [0.0, 200.0, 400.0]


def test_finals_are_each_seed_at_its_own_end(table: Any) -> None:
    """Seed 1 ended at step 200 with 7, and is not dropped for the longer one."""
    rows = [("a", "e", 1, 0, "m", 1.0), ("a", "e", 1, 200, "m", 7.0), ("a", "e", 0, 400, "m", 5.0)]

    assert finals(table(rows), "m")["a", "e"] == [5.0, 7.0]


def test_a_curve_holds_its_last_value_until_its_end_and_not_beyond() -> None:
    """Before the first measurement and after the last there is nothing."""
    curve = Curve(np.array([100, 300]), np.array([1.0, 2.0]))

    at = curve.at(np.array([0, 100, 200, 300, 400]))

    np.testing.assert_array_equal(at, [np.nan, 1.0, 1.0, 2.0, np.nan])


def test_common_steps_keep_both_ends() -> None:
    """Of 1,001 steps, a few are shown, the first and the last among them."""
    curve = Curve(np.arange(1001), np.zeros(1001))

    steps = common_steps({0: curve}, 11)

    assert steps.tolist() == list(range(0, 1001, 100))


def test_a_metric_that_was_not_measured_is_named_with_those_that_were(table: Any) -> None:
    """Not an empty figure."""
    with pytest.raises(ValueError, match=r"no 'x' in these results; measured were: m"):
        curves(table([("a", "e", 0, 0, "m", 1.0)]), "x")


@pytest.mark.parametrize(
    ("counts", "words"), [([2, 2], "n = 2"), ([3, 2], "n = 2 or 3"), ([9, 2, 4], "n = 2 to 9")]
)
def test_counts_in_words(counts: list[int], words: str) -> None:
    """Never "n = 2 to 2"."""
    assert counted(counts) == words


def test_an_axis_without_a_label_says_the_name_in_words() -> None:
    """Not the raw name of the column."""
    assert Quantity(name="visit_entropy").axis == "visit entropy"
    assert Quantity(name="value_ratio", label="value ratio, 1: optimal").axis.endswith("optimal")
