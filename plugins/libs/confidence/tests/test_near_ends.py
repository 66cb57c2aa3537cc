"""Rewards near an end of their range, and bounds that overflow, certify nothing by themselves."""

import math

import numpy as np
import pytest

from mfbpi_lib_confidence import verdicts
from mfbpi_lib_confidence.box import Box, Thresholds
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import evaluate


@pytest.mark.parametrize("paid", [1e-9, 1e-4, 1e-3, 0.01, 0.02])
@pytest.mark.parametrize("n", [1, 5, 20, 100])
def test_rewards_near_an_end_of_their_range_prove_no_more(n, paid):
    """One action always pays a little, the other has not paid yet: it may pay more, and does.

    The least mean of the first was infinite, and certified it against everything.
    """
    found = evaluate(Evidence.from_dense([[[n], [n]]], [[n * paid, 0.0]]), discount=0.9, delta=0.1)

    assert not found.identified
    assert 0.0 <= found.box.rewards_low[0] <= paid <= found.box.rewards_high[0] <= 1.0
    assert found.margin[0, 1] < 0.0


@pytest.mark.parametrize("law", ["mostly 0", "mostly 1", "near 0 or near 1"])
def test_rewards_of_any_law_are_covered_where_they_are_near_an_end(law):
    """Means of rewards that are almost always at an end of the range, from the first visit on."""
    rng = np.random.default_rng(31)
    seen = rng.random((200, 60))
    rewards = {
        "mostly 0": np.where(seen < 0.1, 1.0, 1e-3 * seen),
        "mostly 1": np.where(seen < 0.1, 0.0, 1.0 - 1e-3 * seen),
        "near 0 or near 1": np.where(seen < 0.5, 1e-4 * seen, 1.0 - 1e-4 * seen),
    }[law]
    mean = {"mostly 0": 0.1 + 0.9 * 0.55e-3, "mostly 1": 0.9 - 0.9 * 0.55e-3}.get(
        law, 0.5 * (0.25e-4) + 0.5 * (1.0 - 0.75e-4)
    )
    counts = np.eye(len(rewards), dtype=np.int64)[:, None]  # [S, A, S], a state for each row
    missed = np.zeros(len(rewards), dtype=bool)
    for n in range(1, 61):
        evidence = Evidence.from_dense(n * counts, rewards[:, :n].sum(axis=1, keepdims=True))
        found = Box.around(evidence, Thresholds(math.log(20), math.log(20)))
        missed |= ~((found.rewards_low <= mean) & (mean <= found.rewards_high))
    assert missed.sum() <= 10  # of 200 at a risk of 1 in 20


@pytest.mark.parametrize("bound", [-math.inf, math.nan])
def test_a_bound_that_is_not_finite_identifies_nothing(bound):
    """Were some bound to overflow, no verdict may rest on it."""
    evidence = Evidence.from_dense([[[9], [9]]], [[9.0, 0.0]])
    policy, slack = np.array([0]), 1e-9
    advantages, gap = np.array([[0.0, bound]]), np.array([bound])
    rivals = verdicts.rivals(evidence, policy)

    for epsilon in (0.0, 1.0):
        said, reason = verdicts.verdict(
            evidence, rivals, advantages, gap, np.array([True]), epsilon, slack
        )
        assert (said, "may" in reason) == (False, True)
