"""``mfbpi compare``: the table, the JSON object, and what is refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Command = Callable[..., Any]


@pytest.fixture
def two(toy_run: Command) -> str:
    """A directory with two variants of the biased agent on the ring, six seeds each."""
    arguments = ("--agent", "plain", "-A", "biased.bias=1", "-A", "plain.bias=0")
    assert toy_run(*arguments, "--seeds", "0:6", "--out", "x").code == 0
    return "x"


def test_the_table_has_a_line_for_each_contrast(two: str, mfbpi: Command) -> None:
    """Whom it is about, and what was done, in the caption."""
    ended = mfbpi("compare", two, "--metric", "rate")

    assert ended.code == 0
    assert "biased(bias=1.0)" in ended.out
    assert "plain(bias=0.0)" in ended.out
    assert "two-sided permutation test (pairs by seed), corrected by Holm" in ended.out
    assert ended.err == ""


def test_json(two: str, mfbpi: Command) -> None:
    """One object; the numbers are unrounded."""
    found = mfbpi("compare", two, "--metric", "rate", "--level", "0.2", "--json").json
    (contrast,) = found["contrasts"]

    assert found["metric"] == "rate"
    assert contrast["n"] == 6
    assert contrast["p"] == contrast["p_corrected"]
    assert contrast["verdict"] in ("higher", "lower", "not significant")
    assert contrast["low"] <= contrast["difference"] <= contrast["high"]


def test_failed_runs_are_counted(toy_run: Command, mfbpi: Command) -> None:
    """They are not compared, and a reader is told."""
    arguments = ("--agent", "plain", "-A", "fail_at_seed=1", "--seeds", "0:3", "--out", "x")
    toy_run(*arguments)
    ended = mfbpi("compare", "x", "--metric", "rate", "--pairs", "by seed")

    assert ended.code == 0
    assert "1 runs of biased(fail_at_seed=1) on ring failed" in ended.err
    assert "run at least 6" in ended.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--metric", "rat"), "did you mean rate"),
        (("--metric", "rate", "--level", "5"), "--level is 5.0"),
        (("--metric", "rate", "--baseline", "plain(bias=0)"), "did you mean plain(bias=0.0)"),
        (("--metric", "rate", "--pairs", "never"), "'never' is not one of"),
        (("--metric", "rate", "--baseline", "a", "--contrast", "a", "b"), "give one of them"),
        (("--metric", "rate", "--reaches", ">0.5"), "--reaches is '>0.5'; expected a finite"),
        (("--metric", "rat", "--reaches", "0.5"), "did you mean rate"),
        ((), "Missing option '--metric'"),
    ],
)
def test_what_is_refused(two: str, mfbpi: Command, arguments: Any, words: str) -> None:
    """A line that says what was expected."""
    ended = mfbpi("compare", two, *arguments)

    assert ended.code == 2
    assert words in ended.err
    assert "Traceback" not in ended.err


def test_the_time_to_a_level(two: str, mfbpi: Command) -> None:
    """What was compared in the caption, who got there in notes; the JSON object names the level."""
    ended = mfbpi("compare", two, "--metric", "rate", "--reaches", "<=0.9")
    found = mfbpi("compare", two, "--metric", "rate", "--reaches", "0.5", "--json").json

    assert ended.code == 0
    assert "The first evaluation from which on rate <= 0.9 until the end" in ended.out
    assert "plain(bias=0.0) on ring: rate <= 0.9 reached and kept in" in ended.err
    assert found["reaches"] == ">= 0.5"
    assert "rate >= 0.5 reached and kept in" in found["notes"][0]
    assert mfbpi("compare", two, "--metric", "rate", "--json").json["reaches"] is None
