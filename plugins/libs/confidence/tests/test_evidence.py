"""What was seen: what is refused, and what is exact."""

import math

import pytest

from mfbpi_core.errors import ModelError
from mfbpi_core.running.stopping import first_check, next_check
from mfbpi_lib_confidence.evidence import Evidence


def changed(counts=None, rewards=None, **more):
    """Evidence of two states and one action, one thing changed."""
    table = [[[3, 2]], [[0, 4]]] if counts is None else counts
    return Evidence.from_dense(table, [[1.0], [2.0]] if rewards is None else rewards, **more)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"counts": [[[3, -1]], [[0, 4]]]}, r"N\(0, 0, 1\)"),
        ({"counts": [[[3, 0.5]], [[0, 4]]]}, r"N\(0, 0, 1\)"),
        ({"counts": [[[3, 2**60]], [[0, 4]]]}, r"N\(0, 0, 1\)"),
        ({"counts": [[3, 1], [0, 4]]}, r"expected counts \[S, A, S\]"),
        ({"rewards": [[6.0], [2.0]]}, r"rewards of \(0, 0\) sum to .*6.* in 5 visits"),
        ({"rewards": [[math.nan], [2.0]]}, r"rewards of \(0, 0\)"),
        ({"rewards": [1.0, 2.0]}, "rewards have shape"),
        ({"terminal": [False, True]}, "state 1 is terminal but has transitions"),
        ({"terminal": [False]}, "mask of terminal states"),
        ({"endings": [1, 2]}, "endings have shape"),
        ({"reward_range": (1.0, 1.0)}, "reward range"),
        ({"reward_law": "deterministic"}, "needed by successor"),
    ],
)
def test_evidence_that_cannot_be(wrong, message):
    """Refused, naming the place and the number."""
    with pytest.raises(ModelError, match=message):
        changed(**wrong)


def test_counts_are_exact():
    """Visits of a pair are summed in whole numbers."""
    evidence = changed(counts=[[[2**52, 1]], [[0, 3]]], rewards=[[0.0], [0.0]])

    assert evidence.visits[0, 0] == 2**52 + 1


def test_schedule_of_checks():
    """max(100, S A), then 5 % more, rounded down in whole numbers, at least one step more."""
    assert (first_check(5, 2), first_check(100, 3)) == (100, 300)
    assert [next_check(t) for t in (1, 19, 20, 100, 119, 10**15)] == [
        2, 20, 21, 105, 124, 105 * 10**13
    ]  # fmt: skip
