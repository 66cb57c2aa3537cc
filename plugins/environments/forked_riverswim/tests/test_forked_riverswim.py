"""Forked RiverSwim: the model row by row, its variants, and the published tables."""

import numpy as np
import pytest

from mfbpi_core.errors import ConfigError
from mfbpi_env_forked_riverswim.environment import (
    LEFT,
    RIGHT,
    SWITCH,
    Config,
    ForkedRiverSwim,
    forked_riverswim,
)
from mfbpi_lib_tabular.solution import gaps, moments, planning


def test_model_of_length_four():
    """Every row with rivers 1, 2, 3 and 4, 5, 6, written out."""
    mdp = forked_riverswim(4)
    left = [0, 0, 1, 2, 0, 4, 5]
    switch = [0, 4, 5, 3, 1, 2, 6]
    right = np.zeros((7, 7))
    right[0, [0, 1]] = 0.7, 0.3
    right[1, [0, 1, 2]] = 0.1, 0.6, 0.3
    right[2, [1, 2, 3]] = 0.1, 0.6, 0.3
    right[3, [2, 3]] = 0.7, 0.3
    right[4, [0, 4, 5]] = 0.1, 0.6, 0.3
    right[5, [4, 5, 6]] = 0.1, 0.6, 0.3
    right[6, [5, 6]] = 0.7, 0.3

    np.testing.assert_allclose(mdp.transitions[:, RIGHT], right, rtol=1e-15, atol=0)
    np.testing.assert_array_equal(mdp.transitions[:, LEFT], np.eye(7)[left])
    np.testing.assert_array_equal(mdp.transitions[:, SWITCH], np.eye(7)[switch])


def test_rewards_of_length_four():
    """Left in the source, right at the two ends, and nothing else."""
    mdp = forked_riverswim(4)
    expected = np.zeros((7, 3))
    expected[0, LEFT], expected[3, RIGHT], expected[6, RIGHT] = 0.05, 1.0, 0.95

    np.testing.assert_array_equal(mdp.mean_rewards, expected)
    assert mdp.reward_law == "bernoulli"
    assert mdp.initial.tolist() == [1, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("length", [3, 4, 10])
def test_variants_differ_in_one_entry_only(length):
    """Right in the first state of river 2 slips to the source, or to the end of river 1."""
    paper, published = (forked_riverswim(length, v) for v in ("paper", "published"))

    differing = np.argwhere(paper.transitions != published.transitions).tolist()

    assert differing == [[length, RIGHT, 0], [length, RIGHT, length - 1]]
    assert paper.transitions[length, RIGHT, 0] == pytest.approx(0.1)
    assert published.transitions[length, RIGHT, length - 1] == pytest.approx(0.1)
    np.testing.assert_array_equal(paper.mean_rewards, published.mean_rewards)
    np.testing.assert_array_equal(paper.initial, published.initial)


@pytest.mark.parametrize(
    ("length", "least_gap", "span", "moment"), [(3, 1.0e-1, 2.0, 1.0), (6, 2.8e-2, 2.9, 2.0)]
)
def test_published_tables(length, least_gap, span, moment):
    """Delta_min, max MD and max (M^k)^(2^-k) at gamma 0.95: the paper's two digits, truncated."""
    mdp = forked_riverswim(length, "published")
    plan = planning.solve(mdp, 0.95)
    delta = gaps.delta_min(gaps.gaps(plan), gaps.policy_mask(plan.policy, 3))

    assert truncated(delta) == pytest.approx(least_gap)
    assert truncated(moments.spans(mdp, plan.values).max()) == pytest.approx(span)
    assert truncated(moments.largest_moment_roots(mdp, plan.values).max()) == pytest.approx(moment)


def truncated(number: float) -> float:
    """The first two digits."""
    unit = 10.0 ** (np.floor(np.log10(number)) - 1)
    return np.floor(number / unit) * unit


def test_only_the_published_variant_has_ties():
    """With 25 states it has equal actions; the paper's law keeps every gap positive."""
    least = {}
    for variant in ("paper", "published"):
        plan = planning.solve(forked_riverswim(13, variant), 0.95)
        least[variant] = gaps.delta_min(gaps.gaps(plan), gaps.policy_mask(plan.policy, 3))

    assert least["published"] == 0.0
    assert least["paper"] > 1e-7


def test_default_is_the_law_of_the_paper():
    """Asked for nothing, the environment follows the paper, in its smallest size."""
    environment = ForkedRiverSwim(Config())

    np.testing.assert_array_equal(environment.model.transitions, forked_riverswim(3).transitions)
    assert environment.n_states == 5


def test_protocol_is_that_of_the_paper():
    """T = 2 10^4 N steps, evaluated every 200, discount 0.99, 10 seeds."""
    protocol = ForkedRiverSwim(Config(length=10)).protocol

    assert (protocol.horizon, protocol.eval_every) == (200_000, 200)
    assert (protocol.discount, protocol.seeds) == (0.99, 10)


@pytest.mark.parametrize(("key", "value"), [("length", 2), ("variant", "bsuite")])
def test_parameters_out_of_range_are_refused(key, value):
    """The message names the parameter and the value."""
    with pytest.raises(ConfigError, match=f"{key} is {value!r}"):
        Config(**{key: value})
