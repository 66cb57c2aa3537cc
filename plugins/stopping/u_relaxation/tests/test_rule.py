"""Thresholds and the rule by hand, and how late the published ones are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mfbpi_core import Counts, PluginRef, Problem, Registry, Transitions
from mfbpi_core.data.task import StopRef
from mfbpi_core.errors import ConfigError
from mfbpi_core.plugins import assembly
from mfbpi_lib_confidence.divergences import divergences
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_tabular.testing import riverswim
from mfbpi_stopping_u_relaxation import thresholds
from mfbpi_stopping_u_relaxation.rule import URelaxation, observed

#: The median stopping time of kl_box with a uniform agent on RiverSwim 5, 0.95.
KL_BOX = 2.46e5


def built(n_states: int, n_actions: int, discount: float, **config: str) -> URelaxation:
    """The rule with its bound, at risk 0.1."""
    registry = Registry.discover()
    problem = Problem(n_states=n_states, n_actions=n_actions, discount=discount, horizon=1)
    part = assembly.find(registry, "stopping_rule", PluginRef(name="u_relaxation", config=config))
    asked = StopRef(rule=PluginRef(name="u_relaxation"), delta=0.1, epsilon=0.0, scope="all")
    rule = assembly.stopping_rule(registry, part, asked, problem)
    assert isinstance(rule, URelaxation)
    return rule


def bandit(paid: tuple[float, ...], visits: int) -> Evidence:
    """One state whose actions were tried equally often."""
    return Evidence.from_dense(np.full((1, len(paid), 1), visits), [paid])


def test_the_calibration_function_is_the_exact_one():
    """C(0.3) = 7.4738; by hand C(x) for large x: h^-1(1 + x) = x + log x + ..."""
    assert thresholds.calibration(0.3) == pytest.approx(7.473803, abs=1e-6)
    u = 20.0  # h(u) = u - log u = 1 + x
    x = u - math.log(u) - 1.0
    half = (u + math.log(math.pi**2 / 3.0)) / 2.0
    v = thresholds.calibration(x) / 2.0  # = e^(1/w) w with w - log w = half
    w = next(w for w in np.linspace(half, half + 5.0, 500_001) if w - math.log(w) >= half)
    assert v == pytest.approx(math.exp(1.0 / w) * w, rel=1e-4)


def test_thresholds_by_hand():
    """One state, two actions with 10 visits each: one outcome costs nothing but for klb's risk."""
    evidence = bandit((10.0, 0.0), 10)
    laws, rewards = thresholds.klb(evidence, 0.1)
    np.testing.assert_allclose(laws, math.log(4 * 1 * 2 / 0.1))
    np.testing.assert_allclose(rewards, math.log(80.0) + 1 + math.log(11.0))
    laws, rewards = thresholds.nas(evidence, 0.1)
    assert laws == pytest.approx(math.log(20.0))
    inner = thresholds.calibration(math.log(20.0) / 2)
    assert rewards == pytest.approx(2 * inner + 6 * math.log(1 + math.log(10.0)))
    laws, rewards = thresholds.mixture(evidence, 0.1)
    # m(10, 0) = 1/4 + 1/2 B(10.5, 1/2) / B(1/2, 1/2)
    two = math.gamma(10.5) / (math.gamma(11.0) * math.gamma(0.5))
    assert laws == pytest.approx(math.log(20.0))
    assert rewards == pytest.approx(math.log(20.0) - 2 * math.log(0.25 + 0.5 * two))


def test_the_bound_at_the_counts_by_hand():
    """One state, gap 1, gamma 1/2: 1 / U = 1 / (1 / 2n + 9 / 2n) = n / 5, for any threshold."""
    evidence = bandit((10.0, 0.0), 10)
    rule = built(1, 2, 0.5)
    expected = (10 / 5) / sum(thresholds.mixture(evidence, 0.1))
    assert rule.share(evidence) == pytest.approx(expected)
    klb = built(1, 2, 0.5, thresholds="klb")
    x = sum(each[0] for each in thresholds.klb(evidence, 0.1))
    assert klb.share(evidence) == pytest.approx((10 / x) / 5 / 2)


def test_divergences_by_hand():
    """n KL of (1/4, 3/4) seen from (1/2, 1/2), and of the mean reward 1/2 from 1/4."""
    transitions = np.zeros((2, 1, 2), dtype=np.int64)
    transitions[0, 0], transitions[1, 0] = (1, 3), (2, 2)
    evidence = Evidence.from_dense(transitions, [[2.0], [1.0]])
    truth = observed(Evidence.from_dense(np.full((2, 1, 2), 2), [[1.0], [1.0]]))
    laws, rewards = divergences(evidence, truth)
    np.testing.assert_allclose(laws, [math.log(0.5) + 3 * math.log(1.5), 0.0], atol=1e-14)
    np.testing.assert_allclose(rewards, [2 * math.log(2.0) + 2 * math.log(2 / 3), 0.0], atol=1e-14)


def walked(paid: tuple[float, float], n: int) -> Counts:
    """Counts of one state whose two actions take turns."""
    actions = np.arange(n) % 2
    zeros, never = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    counts = Counts(n_states=1, n_actions=2, terminal=np.zeros(1, dtype=np.bool_), may_end=False)
    rewards = np.array(paid)[actions]
    columns = {"observations": zeros, "next_observations": zeros, "actions": actions, "start": 0}
    counts.observe(Transitions(**columns, rewards=rewards, terminated=never, truncated=never))
    return counts


def test_it_stops_when_the_bound_exceeds_the_threshold_and_not_before():
    """Of two actions that pay 1 and 0 the first is best after 2 n samples, n / 5 = threshold."""
    rule = built(1, 2, 0.5)
    first = next(n for n in range(2, 200) if rule.check(walked((1.0, 0.0), 2 * n)).stop)
    shares = [rule.share(bandit((float(n), 0.0), n)) for n in (first - 1, first)]
    assert shares[0] < 1.0 + 1e-6 <= shares[1]
    verdict = rule.check(walked((1.0, 0.0), 2 * first))
    assert verdict.policy is not None
    assert (verdict.policy.tolist(), verdict.gap) == ([0], 0.0)


def test_ties_never_stop():
    """Actions that pay alike are never told apart, nor are those that nearly do."""
    assert not built(1, 2, 0.5).check(walked((0.5, 0.5), 2_000)).stop
    assert not built(1, 2, 0.5).check(walked((0.5, 0.5 + 1e-15), 2_000)).stop


def test_a_task_that_may_end_elsewhere_has_one_state_more():
    """An end in no declared state is a terminal one of value 0."""
    evidence = Evidence.from_dense([[[3], [4]]], [[1.0, 0.0]], endings=[[1, 0]])
    model = observed(evidence)
    np.testing.assert_allclose(model.transitions[0], [[0.75, 0.25], [1.0, 0.0]])
    assert model.terminal.tolist() == [False, True]


def test_other_bounds_have_no_guarantee():
    """Bound u does not cover successors that were not seen; u0 and u_span do."""
    assert "bound u " in built(1, 2, 0.5, bound="u").doubt
    assert built(1, 2, 0.5, bound="u0").doubt == built(1, 2, 0.5).doubt == ""


def test_an_accepted_loss_is_refused():
    """It identifies an optimal policy or nothing."""
    rule = built(1, 2, 0.5)
    with pytest.raises(ConfigError, match="epsilon = 0 alone"):
        URelaxation(rule.problem, rule.config, 0.1, 1.0, bound=rule.bound)


def noise_free(steps: float) -> Evidence:
    """N = t w p of a uniform agent on RiverSwim 5, with mean rewards; whole numbers."""
    mdp = riverswim(5)
    walk = mdp.transitions.mean(axis=1)
    equations = np.vstack([walk.T - np.eye(5), np.ones(5)])
    w = np.linalg.lstsq(equations, np.append(np.zeros(5), 1.0), rcond=None)[0] / 2
    counts = np.rint(steps * w[:, None, None] * mdp.transitions).astype(np.int64)
    return Evidence.from_dense(counts, counts.sum(axis=2) * mdp.mean_rewards)


@pytest.mark.parametrize("thresholds", ["klb", "nas"])
@pytest.mark.parametrize("bound", ["u0", "u_span"])
def test_published_thresholds_stop_a_thousand_times_later(thresholds, bound):
    """Without noise they are not reached at 1,000 times the median of kl_box, RiverSwim 5, 0.95."""
    rule = built(5, 2, 0.95, thresholds=thresholds, bound=bound)

    assert rule.share(noise_free(1_000 * KL_BOX)) < 0.1
    assert rule.share(noise_free(1e13)) > 1.0
