"""RandomMDP: its law, what its seeds fix, and the published means."""

import numpy as np
import pytest

from mfbpi_core.errors import ConfigError
from mfbpi_env_random_mdp.environment import Config, RandomMDP, concentrations, random_mdp
from mfbpi_lib_tabular.solution import gaps, planning


def test_concentrations_by_hand():
    """Each alpha exceeds the one before by a tenth of its number: 1, 1.1, 1.3, 1.6, 2."""
    np.testing.assert_allclose(concentrations(5), [1.0, 1.1, 1.3, 1.6, 2.0])


def test_means_follow_the_concentrations():
    """Over many draws, probabilities and rewards average alpha / sum(alpha) = (10, 11, 13) / 34."""
    draws = [random_mdp(3, 2, seed) for seed in range(500)]
    probabilities = np.mean([mdp.transitions for mdp in draws], axis=(0, 1, 2))
    # Dense rows list the states in order, so that slots are states.
    rewards = np.mean([mdp.rewards for mdp in draws], axis=(0, 1, 2))

    # 3000 draws of standard deviation below 0.25: five standard errors are 0.023.
    np.testing.assert_allclose(probabilities, np.array([10, 11, 13]) / 34, atol=0.023)
    np.testing.assert_allclose(rewards, np.array([10, 11, 13]) / 34, atol=0.023)


def test_reward_depends_on_the_next_state():
    """The reward on reaching s' is q(s, a, s'), surely."""
    environment = RandomMDP(Config(n_states=4))
    mdp = environment.model
    state, _ = environment.reset(seed=3)
    for t in range(50):
        following, reward, terminated, truncated, _ = environment.step(t % 3)

        assert reward == mdp.rewards[state, t % 3, following]
        assert not terminated
        assert not truncated
        state = following


def test_mdp_seed_fixes_the_instance_and_the_run_seed_does_not():
    """Equal mdp_seed, equal instance whatever the run; another mdp_seed, another instance."""
    first, again = RandomMDP(Config()), RandomMDP(Config())
    first.reset(seed=1)
    again.reset(seed=2)

    np.testing.assert_array_equal(first.model.transitions, again.model.transitions)
    np.testing.assert_array_equal(first.model.rewards, again.model.rewards)
    assert (random_mdp(5, 3, 1).transitions != first.model.transitions).all()


# Delta_min and max Delta at gamma 0.95, means of 300 draws, from the paper's table. Both sides are
# random and the paper's digits truncated: the tolerance is four standard errors of a difference of
# such means (measured), and one unit of the last digit.
PUBLISHED = [
    (5, 1.1e-2, 4 * 2**0.5 * 6.3e-4 + 1e-3, 1.6e-1, 4 * 2**0.5 * 4.5e-3 + 1e-2),
    (10, 2.3e-3, 4 * 2**0.5 * 1.2e-4 + 1e-4, 6.3e-2, 4 * 2**0.5 * 1.0e-3 + 1e-3),
    (25, 1.2e-4, 4 * 2**0.5 * 7.5e-6 + 1e-5, 1.0e-2, 4 * 2**0.5 * 1.0e-4 + 1e-3),
]


@pytest.mark.parametrize(
    ("n_states", "least", "least_slack", "largest", "largest_slack"), PUBLISHED
)
def test_published_means(n_states, least, least_slack, largest, largest_slack):
    """Means over 300 instances of the least and the largest gap."""
    gap_pairs = [extreme_gaps(random_mdp(n_states, 3, seed)) for seed in range(300)]
    least_mean, largest_mean = np.mean(gap_pairs, axis=0)

    assert least_mean == pytest.approx(least, abs=least_slack)
    assert largest_mean == pytest.approx(largest, abs=largest_slack)


def extreme_gaps(mdp) -> tuple[float, float]:
    """Delta_min and max Delta at gamma 0.95."""
    plan = planning.solve(mdp, 0.95)
    delta = gaps.gaps(plan)
    return gaps.delta_min(delta, gaps.policy_mask(plan.policy, 3)), float(delta.max())


def test_protocol_is_that_of_the_paper():
    """T = 10^4 |S| steps, evaluated every 200, discount 0.99, 10 seeds."""
    protocol = RandomMDP(Config(n_states=20)).protocol

    assert (protocol.horizon, protocol.eval_every) == (200_000, 200)
    assert (protocol.discount, protocol.seeds) == (0.99, 10)


@pytest.mark.parametrize(("key", "value"), [("n_states", 1), ("n_actions", 0), ("mdp_seed", -1)])
def test_parameters_out_of_range_are_refused(key, value):
    """The message names the parameter and the value."""
    with pytest.raises(ConfigError, match=f"{key} is {value}"):
        Config(**{key: value})
