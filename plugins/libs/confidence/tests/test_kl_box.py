"""Verdicts: hand-computed cases, scopes, ties, terminal states, other ranges of rewards."""

import itertools
import math

import numpy as np
import pytest

from mfbpi_core.errors import ConfigError
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import evaluate
from mfbpi_lib_confidence.penalties import penalty, reward_penalty
from mfbpi_lib_confidence.scopes import states_in


def river(visits: int, *, gain: float = 1.0, low: float = 0.0) -> Evidence:
    """Noise-free counts of a chain of three: right moves up with 0.6, left down; rewards scaled."""
    law = np.zeros((3, 2, 3))
    law[0, 0, 0] = law[1, 0, 0] = law[2, 0, 1] = 1.0
    law[:, 1] = [[0.4, 0.6, 0.0], [0.2, 0.2, 0.6], [0.0, 0.4, 0.6]]
    mean = np.array([[0.1, 0.0], [0.0, 0.0], [0.0, 1.0]])
    counts = np.rint(law * visits).astype(int)
    rewards = (low + gain * mean) * visits
    return Evidence.from_dense(counts, rewards, reward_range=(low, low + gain))


def dense(evidence: Evidence) -> np.ndarray:
    """Counts [S, A, S]."""
    counts = np.zeros((evidence.n_pairs, evidence.n_states), dtype=int)
    counts[evidence.rows, evidence.outcomes] = evidence.counts
    return counts.reshape(evidence.n_states, evidence.n_actions, evidence.n_states)


def bandit(ones: int, zeros: int) -> Evidence:
    """One state; action 0 paid 1 each time, action 1 paid 0."""
    return Evidence.from_dense([[[ones], [zeros]]], [[ones, 0.0]])


def test_two_actions_by_hand():
    """One state: A(1) = r(1) - r(0) <= (1 - exp(-c1)) - exp(-c0), V_lo = exp(-c0) / (1 - gamma)."""
    x = math.log(2 * 1 * 2 / 0.1)
    c0 = (x + reward_penalty(30.0, 30.0)) / 30
    c1 = (x + reward_penalty(0.0, 50.0)) / 50

    found = evaluate(bandit(30, 50), discount=0.9)

    assert found.policy.tolist() == [0]
    assert found.margin[0, 1] == pytest.approx(math.exp(-c0) + math.expm1(-c1), abs=1e-10)
    assert found.margin[0, 0] == 0.0
    assert found.values_lower[0] == pytest.approx(math.exp(-c0) / 0.1, abs=1e-9)
    assert found.values_upper[0] == pytest.approx(10.0, abs=1e-9)
    assert found.identified == (found.margin[0, 1] > 0)


def test_regret_by_hand():
    """With 5 visits each nothing is certain: the loss is at most adv / (1 - gamma)."""
    found = evaluate(bandit(5, 5), discount=0.9)

    assert not found.identified
    assert "(0, 1)" in found.reason
    assert found.regret[0] == pytest.approx(-found.margin[0, 1] / 0.1, rel=1e-9)
    assert found.certified_gap == found.gap[0] <= found.regret[0]


def test_door_by_hand():
    """Leaving pays 1 and ends; waiting pays 0: terminal values are 0 and known, never learnt."""
    counts = np.zeros((2, 2, 2), dtype=int)
    counts[0, 0, 1], counts[0, 1, 0] = 40, 40
    evidence = Evidence.from_dense(counts, [[40.0, 0.0], [0.0, 0.0]], terminal=[False, True])
    x = math.log(2 * 2 * 2 / 0.1)
    reward_low = math.exp(-(x + reward_penalty(40.0, 40.0)) / 40)

    found = evaluate(evidence, discount=0.5)

    # Nature's worst for leaving is to end for the least reward: staying would only pay it again.
    assert found.policy[0] == 0
    assert found.values_lower[0] == pytest.approx(reward_low, abs=1e-9)
    assert found.values_upper[1] == found.values_lower[1] == found.gap[1] == 0.0
    assert (found.margin[1] == 0.0).all()


def test_range_of_rewards_with_an_end():
    """Staying costs 1 for ever, ending costs 10 once; rewards scaled to [0, 1] would stay."""
    counts = np.zeros((2, 2, 2), dtype=int)
    counts[0, 0, 0], counts[0, 1, 1] = 100_000, 100_000
    evidence = Evidence.from_dense(
        counts,
        [[-100_000.0, -1_000_000.0], [0.0, 0.0]],
        terminal=[False, True],
        reward_range=(-10.0, -1.0),
    )

    patient, hasty = (evaluate(evidence, discount=g) for g in (0.99, 0.5))

    assert (patient.policy[0], hasty.policy[0]) == (1, 0)
    assert patient.identified
    assert hasty.identified
    assert patient.values_lower[0] >= -1000.0  # the least that any policy can have
    assert patient.values_lower[0] == pytest.approx(-10.0, abs=1.0)


@pytest.mark.parametrize("visits", [50, 2_000, 100_000])
def test_scaling_rewards_scales_the_bounds(visits):
    """Without terminal states, rewards in [-3, 1] in place of [0, 1] multiply margins by 4."""
    plain = evaluate(river(visits), discount=0.9)
    scaled = evaluate(river(visits, gain=4.0, low=-3.0), discount=0.9)

    assert scaled.identified == plain.identified
    np.testing.assert_allclose(scaled.margin, 4 * plain.margin, atol=1e-7)
    np.testing.assert_allclose(scaled.gap, 4 * plain.gap, atol=1e-7)
    np.testing.assert_allclose(scaled.values_lower, 4 * plain.values_lower - 30, atol=1e-7)


def test_more_visits_identify():
    """From some number of visits on the policy is certified, and the gap is 0."""
    verdicts = [evaluate(river(n), discount=0.9) for n in (10, 100, 1_000, 10_000, 100_000)]
    gaps = [v.certified_gap for v in verdicts]

    assert [v.identified for v in verdicts] == [False, False, True, True, True]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] == 0.0
    assert verdicts[-1].reason == "no action can be better than the policy's"


@pytest.mark.parametrize("visits", [20, 500, 20_000])
def test_less_risk_certifies_less(visits):
    """Margins shrink and gaps grow as delta falls."""
    found = [evaluate(river(visits), discount=0.9, delta=d) for d in (0.5, 0.1, 0.01, 1e-9)]

    for looser, tighter in itertools.pairwise(found):
        assert (tighter.margin <= looser.margin + 1e-9).all()
        assert (tighter.gap >= looser.gap - 1e-9).all()
        assert (tighter.values_upper >= looser.values_upper - 1e-9).all()


def test_duplicated_actions_are_never_identified():
    """Two actions that do the same tie for ever; up to epsilon they are no trouble."""
    twice = [0, 1, 1]
    chain = river(1_000_000)
    evidence = Evidence.from_dense(dense(chain)[:, twice], chain.rewards[:, twice])

    exact = evaluate(evidence, discount=0.9)
    close = evaluate(evidence, discount=0.9, epsilon=0.5)

    assert not exact.identified
    assert close.identified
    assert close.reason == "the policy loses at most 0.5"


def test_unvisited_pairs_are_named():
    """No stop while a pair in scope was never seen, whatever epsilon."""
    counts = np.zeros((3, 2, 3), dtype=int)
    counts[:, 0, 0] = 100_000
    evidence = Evidence.from_dense(counts, np.zeros((3, 2)))

    for epsilon in (0.0, 1e6):
        found = evaluate(evidence, discount=0.9, epsilon=epsilon)

        assert not found.identified
        assert found.reason == "never visited: (0, 1), (1, 1), (2, 1)"
        assert np.isfinite(found.margin).all()


def island(visits: int) -> Evidence:
    """The chain of three, and a fourth state that nothing reaches and nobody has seen."""
    chain = river(visits)
    counts = np.zeros((4, 2, 4), dtype=int)
    counts[:3, :, :3] = dense(chain)
    return Evidence.from_dense(counts, np.vstack([chain.rewards, np.zeros((1, 2))]))


def test_scopes():
    """A state that nobody reached blocks the scope of all states, not that of those visited."""
    evidence = island(1_000_000)
    visited = states_in("visited", evidence)
    initial = states_in("initial", evidence, [5, 0, 0, 0])

    everywhere = evaluate(evidence, discount=0.9, epsilon=0.5)
    seen = evaluate(evidence, discount=0.9, epsilon=0.5, scope=visited)
    first = evaluate(evidence, discount=0.9, epsilon=0.5, scope=initial)

    assert visited.tolist() == [True, True, True, False]
    assert initial.tolist() == [True, False, False, False]
    assert (everywhere.identified, seen.identified, first.identified) == (False, True, True)
    assert everywhere.reason == "never visited: (3, 0), (3, 1)"
    assert first.certified_gap <= seen.certified_gap <= everywhere.certified_gap


def test_exact_needs_all_states():
    """epsilon = 0 on a part of the states proves nothing, and is refused."""
    evidence = island(100)
    with pytest.raises(ConfigError, match="epsilon = 0 needs the scope of all states"):
        evaluate(evidence, discount=0.9, scope=states_in("visited", evidence))


def test_empty_scope():
    """Before anything was seen nothing is certified."""
    evidence = Evidence.from_dense(np.zeros((2, 2, 2), dtype=int), np.zeros((2, 2)))

    found = evaluate(evidence, discount=0.9, epsilon=1.0, scope=states_in("visited", evidence))

    assert not found.identified
    assert found.reason == "no state in scope"


def test_unknown_scope():
    """The message lists the scopes."""
    with pytest.raises(ConfigError, match="'some'; expected one of all, visited, initial"):
        states_in("some", river(1))


def test_deterministic_rewards_are_known_once_seen():
    """No risk is spent on them: x = log(S A / delta), and a single visit tells the reward."""
    counts = np.array([[[60], [60]]])
    evidence = Evidence.from_dense(counts, [[[60.0], [30.0]]], reward_law="deterministic")

    found = evaluate(evidence, discount=0.9)

    assert found.box.thresholds.transitions == pytest.approx(math.log(2 / 0.1))
    assert found.margin[0, 1] == pytest.approx(0.5, abs=1e-9)
    assert found.values_upper[0] == pytest.approx(10.0, abs=1e-9)
    assert found.identified


def test_rewards_of_unseen_successors_may_be_anything():
    """Known rewards by successor: what was not seen may pay 1, and lead to the best state."""
    counts = np.array([[[50, 0]], [[0, 50]]])
    evidence = Evidence.from_dense(counts, np.zeros((2, 1, 2)), reward_law="deterministic")
    radius = (math.log(2 / 0.1) + penalty(np.array([50.0]), 2)) / 50
    leak = -math.expm1(-radius)

    found = evaluate(evidence, discount=0.9)

    # Both states alike: V = leak (1 + 0.9 V) + (1 - leak) 0.9 V.
    np.testing.assert_allclose(found.values_upper, leak / 0.1, atol=1e-9)


def test_endings_elsewhere():
    """A task that may end in no declared state has one outcome more, worth 0."""
    counts = np.array([[[30], [30]]])
    without = Evidence.from_dense(counts, [[30.0, 0.0]])
    with_none = Evidence.from_dense(counts, [[30.0, 0.0]], endings=[[0, 0]])
    with_some = Evidence.from_dense(counts, [[60.0, 0.0]], endings=[[30, 0]])

    assert (without.n_outcomes, with_none.n_outcomes) == (1, 2)
    found = evaluate(with_none, discount=0.9)
    assert found.values_lower[0] < evaluate(without, discount=0.9).values_lower[0]
    assert evaluate(with_some, discount=0.9).values_upper[0] < 10.0


@pytest.mark.parametrize("seed", range(3))
def test_names_of_states_do_not_matter(seed):
    """Renamed states have the renamed bounds."""
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(400, rng.dirichlet(np.ones(4), size=(4, 2)))
    rewards = rng.binomial(400, rng.random((4, 2))).astype(float)
    order = rng.permutation(4)

    one = evaluate(Evidence.from_dense(counts, rewards), discount=0.9)
    other = evaluate(Evidence.from_dense(counts[order][:, :, order], rewards[order]), discount=0.9)

    np.testing.assert_allclose(other.margin, one.margin[order], atol=1e-8)
    np.testing.assert_allclose(other.gap, one.gap[order], atol=1e-8)


def test_huge_counts():
    """At 1e13 visits of each pair bounds are still in order, and sharp."""
    found = evaluate(river(10**13), discount=0.9)

    assert found.identified
    assert (found.values_upper >= found.values_lower).all()
    assert (found.values_upper - found.values_lower).max() <= 1e-3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"delta": 0.0}, "delta is 0.0"),
        ({"delta": 1.0}, "delta is 1.0"),
        ({"epsilon": -1.0}, "epsilon is -1.0"),
        ({"epsilon": math.nan}, "epsilon is nan"),
        ({"discount": 1.0}, "discount is 1.0"),
        ({"epsilon": 1.0, "scope": np.ones(2, dtype=bool)}, r"expected bool \(3,\)"),
    ],
)
def test_parameters_out_of_range(parameters, message):
    """Refused with the value given."""
    with pytest.raises(ConfigError, match=message):
        evaluate(river(10), **{"discount": 0.9, **parameters})
