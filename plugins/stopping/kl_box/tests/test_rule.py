"""Questions that the rule refuses."""

import math

import pytest

from mfbpi_core import NoConfig, Problem
from mfbpi_core.errors import ConfigError
from mfbpi_stopping_kl_box.rule import KLBox


@pytest.mark.parametrize("reward_range", [(0.0, 5e-324), (-1e308, 1e308), (0.0, math.inf)])
def test_ranges_beyond_float64_are_refused(reward_range):
    """The slack of a verdict would vanish, and a tie pass for a gap, or overflow."""
    problem = Problem(n_states=2, n_actions=2, discount=0.9, horizon=100, reward_range=reward_range)

    with pytest.raises(ConfigError, match="1e-100 to 1e\\+100 apart"):
        KLBox(problem, NoConfig(), 0.1, 0.0)
