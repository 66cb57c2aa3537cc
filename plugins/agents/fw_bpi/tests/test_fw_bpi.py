"""FW-BPI: its intrinsic reward against the formulas, its schedule, and what it explores."""

import itertools
import math

import numpy as np
import pytest

from mfbpi_agent_fw_bpi.agent import FWBPI, Config
from mfbpi_agent_fw_bpi.objective import intrinsic_rewards
from mfbpi_agent_fw_bpi.widths import Units, widths
from mfbpi_core import Interaction, Problem, TabularMDP, Transition
from mfbpi_core.errors import ConfigError
from mfbpi_core.running.stopping import first_check, next_check
from mfbpi_lib_confidence.ball import largest_mean, smallest_mean
from mfbpi_lib_confidence.box import Box, Thresholds
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import evaluate
from mfbpi_lib_confidence.penalties import penalty, reward_penalty
from mfbpi_lib_tabular.learning import posterior
from mfbpi_lib_tabular.learning.posterior import Counts
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.solution import planning
from mfbpi_lib_tabular.testing import ring, riverswim


def agent_for(mdp: TabularMDP, discount=0.9, seed=0, **parameters) -> FWBPI:
    """An agent for an instance."""
    problem = Problem(
        n_states=mdp.n_states,
        n_actions=mdp.n_actions,
        discount=discount,
        horizon=1000,
        reward_range=mdp.reward_range,
    )
    return FWBPI(problem, Config(**parameters), np.random.default_rng(seed))


def explored(mdp: TabularMDP, n_steps: int, **more) -> FWBPI:
    """An agent after some steps."""
    agent = agent_for(mdp, **more)
    Interaction(TabularEnvironment(mdp), agent, seed=1).advance(n_steps)
    return agent


def by_definition(agent: FWBPI) -> np.ndarray:
    """The intrinsic reward, pair by pair, as the module writes it; rewards in [0, 1]."""
    counts, g = agent.state.counts, agent.problem.discount
    n_states, n_actions = counts.visits.shape
    x = math.log(2 * n_states * n_actions / agent.config.delta)
    model = posterior.empirical(counts)
    P, r = model.transitions, model.rewards
    plan = planning.solve_arrays(P, r, g, agent.state.policy)
    pi, V = plan.policy, plan.values
    G = np.linalg.inv(np.eye(n_states) - g * P[np.arange(n_states), pi])
    alpha, beta, n = (np.zeros((n_states, n_actions)) for _ in range(3))
    for s, a in np.ndindex(alpha.shape):
        n[s, a] = max(counts.visits[s, a], 0.5)
        variance = P[s, a] @ V**2 - (P[s, a] @ V) ** 2
        xp = x + penalty(counts.transitions[s, a].astype(float), n_states)
        xr = x + reward_penalty(counts.rewards[s, a], float(counts.visits[s, a]))
        spread = math.sqrt(2 * xr * r[s, a] * (1 - r[s, a]))
        alpha[s, a] = math.sqrt(max(2 * xp * g**2 * variance, 0.0)) + spread
        if counts.visits[s, a] == 0:
            beta[s, a] = (xp + xr) * max(0.1, g * (V.max() - P[s, a] @ V) + 1)
            continue
        bernoulli = np.array([r[s, a], 1 - r[s, a]]), np.array([1.0, 0.0])
        up = g * (largest_mean(P[s, a], V, V.max(), xp / n[s, a]) - P[s, a] @ V)
        up += largest_mean(*bernoulli, 1.0, xr / n[s, a]) - r[s, a]
        down = g * (P[s, a] @ V - smallest_mean(P[s, a], V, V.min(), xp / n[s, a]))
        down += r[s, a] - smallest_mean(*bernoulli, 0.0, xr / n[s, a])
        beta[s, a] = n[s, a] * max(0.0, max(up, down) - alpha[s, a] / math.sqrt(n[s, a]))
    width = alpha / np.sqrt(n) + beta / n
    shrinkage = alpha * n**-1.5 / 2 + beta * n**-2
    rivals = [(s, a) for s, a in np.ndindex(alpha.shape) if a != pi[s]]
    kappa = {i: g * P[i] @ G - G[i[0]] for i in rivals}
    total = {
        i: width[i] + sum(abs(kappa[i][z]) * width[z, pi[z]] for z in range(n_states))
        for i in rivals
    }
    d = {i: max(V[i[0]] - r[i] - g * P[i] @ V, total[i] / 2) for i in rivals}
    most = max(total[i] / d[i] for i in rivals)
    rewards = np.zeros_like(alpha)
    for i in rivals:
        weight = (total[i] / d[i] / most) ** 10 / d[i]
        rewards[i] += weight * shrinkage[i]
        for z in range(n_states):
            rewards[z, pi[z]] += weight * abs(kappa[i][z]) * shrinkage[z, pi[z]]
    return rewards / rewards.max()


@pytest.mark.parametrize("n_steps", [0, 3, 40, 5_000])
def test_intrinsic_reward_is_that_of_the_formulas(n_steps):
    """With unvisited pairs, few visits and many: the same numbers as pair by pair."""
    agent = explored(riverswim(4), n_steps)
    model = posterior.empirical(agent.state.counts)
    plan = planning.solve_arrays(model.transitions, model.rewards, 0.9, agent.state.policy)

    rewards = intrinsic_rewards(
        agent.state.counts, model, plan, agent.live, agent.units, sharpness=10.0, tie_share=0.5
    )

    np.testing.assert_allclose(rewards, by_definition(agent), rtol=1e-7, atol=1e-12)
    assert rewards.max() == 1.0


def test_widths_are_those_of_the_box():
    """alpha / sqrt(n) + beta / n is the exact half-width over the set, where beta > 0."""
    agent = explored(riverswim(4), 3_000)
    counts = agent.state.counts
    values = np.array([1.0, 2.0, 4.0, 8.0])
    evidence = Evidence.from_dense(counts.transitions, counts.rewards)
    box = Box.around(evidence, Thresholds.split(evidence, 0.1))

    found = widths(counts, values, np.ones(4, dtype=bool), agent.units)

    for j in range(8):
        p = counts.transitions.reshape(8, 4)[j] / found.visits[j]
        mean = counts.rewards.reshape(8)[j] / found.visits[j]
        up = 0.9 * (largest_mean(p, values, 8.0, box.radii[j]) - p @ values)
        down = 0.9 * (p @ values - smallest_mean(p, values, 1.0, box.radii[j]))
        wide = max(up + box.rewards_high[j] - mean, down + mean - box.rewards_low[j])
        if found.beta[j] > 0:
            assert found.width[j] == pytest.approx(wide, rel=1e-9)
        else:
            assert found.width[j] >= wide


def test_other_ranges_scale_the_widths():
    """Rewards in [-3, 1] in place of [0, 1], all alike: widths are 4 times as large."""
    plain = explored(riverswim(4), 500)
    counts = plain.state.counts
    moved = counts._replace(rewards=4 * counts.rewards - 3 * counts.visits)
    values, live = np.arange(4.0), np.ones(4, dtype=bool)
    units = plain.units._replace(low=-3.0, span=4.0)

    one = widths(counts, values, live, plain.units)
    four = widths(moved, 4 * values - 30, live, units)

    np.testing.assert_allclose(four.alpha, 4 * one.alpha, rtol=1e-9)
    np.testing.assert_allclose(four.beta, 4 * one.beta, rtol=1e-6)


def test_solves_every_tenth_step_then_every_fiftieth_part():
    """max(10, 0.02 t): steps 0, 10, ..., 500, then 510, ..., 550, then 561, ...: 2 % each."""
    agent = agent_for(riverswim(3))
    solved = []
    for step in range(1_200):
        before = agent.n_solves
        agent.update(Transition(0, agent.select_action(0), 0.0, 0))
        if agent.n_solves > before:
            solved.append(step)

    assert solved[:56] == list(range(0, 560, 10))
    assert solved[56:65] == [561, 572, 583, 594, 605, 617, 629, 641, 653]
    assert all(later - t == max(10, int(0.02 * t)) for t, later in itertools.pairwise(solved))


def test_uniform_share():
    """With exploration 1 every action is uniform; with 0 it is mu's."""
    always, never = agent_for(ring(3), exploration=1.0), agent_for(ring(3), exploration=0.0)
    chosen = [always.select_action(0) for _ in range(3_000)]

    np.testing.assert_allclose(np.bincount(chosen) / 3_000, 1 / 3, atol=0.04)
    assert {never.select_action(0) for _ in range(50)} == {int(never.state.explorer[0])}


@pytest.mark.parametrize("seed", range(3))
def test_solves_twenty_states_in_two_thousand_steps(seed):
    """A hundredth of the published horizon: the recommended policy is optimal."""
    agent = explored(riverswim(20), 2_000, discount=0.99, seed=seed)

    np.testing.assert_array_equal(
        agent.recommended_policy(), planning.solve(riverswim(20), 0.99).policy
    )


def test_certifies_earlier_than_uniform_actions():
    """After as many steps the margins of a chain are closed; those of a uniform walk not."""
    mdp, verdicts = riverswim(5), []
    for exploration in (0.05, 1.0):
        counts = explored(mdp, 40_000, discount=0.95, exploration=exploration).state.counts
        evidence = Evidence.from_dense(counts.transitions, counts.rewards)
        verdicts.append(evaluate(evidence, discount=0.95))

    assert verdicts[0].certified_gap < verdicts[1].certified_gap
    assert verdicts[0].identified
    assert verdicts[0].policy.tolist() == planning.solve(mdp, 0.95).policy.tolist()


def test_terminal_states_are_not_sought():
    """States that end the task have no pairs to explore; the others are all seen."""
    law = np.zeros((3, 2, 3))
    law[0, 0, 1] = law[0, 1, 0] = law[1, 0, 0] = law[1, 1, 2] = law[2, :, 2] = 1.0
    mdp = TabularMDP.from_dense(
        law, [[0.0, 0.05], [0.0, 1.0], [0.0, 0.0]], terminal=[False, False, True]
    )
    agent = explored(mdp, 2_000)

    assert agent.live.tolist() == [True, True, False]
    assert (agent.visits[:2] > 50).all()
    assert agent.recommended_policy()[:2].tolist() == [0, 1]


def test_a_single_action():
    """Nothing to choose: it explores all the same, without dividing by zero."""
    law = np.roll(np.eye(3), 1, axis=1)[:, None, :]
    agent = explored(TabularMDP.from_dense(law, np.array([[0.0], [0.5], [1.0]])), 100)

    assert agent.recommended_policy().tolist() == [0, 0, 0]


def test_ties_leave_everything_finite():
    """Equal actions have no gap: U / 2 stands in for it."""
    law = np.repeat(np.roll(np.eye(3), 1, axis=1)[:, None, :], 2, axis=1)
    agent = explored(TabularMDP.from_dense(law, np.full((3, 2), 0.5)), 3_000)

    assert (agent.visits > 100).all()


def test_recommending_changes_nothing():
    """The policy of the moment, not of the last solution, without side effects."""
    agent = explored(riverswim(4), 1_003)
    before = agent.state_dict()

    agent.recommended_policy()

    for name, array in agent.state_dict()["arrays"].items():
        np.testing.assert_array_equal(array, before["arrays"][name])


@pytest.mark.slow
def test_the_true_model_stays_in_the_box_while_exploring():
    """Adaptive sampling: in 300 runs of 5,000 steps it leaves at some check in well below 10 %."""
    mdp, left = riverswim(5), 0
    for seed in range(300):
        agent = agent_for(mdp, discount=0.95, seed=seed)
        interaction, step = Interaction(TabularEnvironment(mdp), agent, seed), 0
        while step < 5_000:
            step = next_check(step) if step else first_check(5, 2)
            interaction.advance(step - interaction.step)
            if not contains(agent.state.counts, mdp):
                left += 1
                break

    # The upper Clopper-Pearson end is below 0.1 up to 18 of 300.
    assert left <= 18


def contains(counts: Counts, mdp: TabularMDP) -> bool:
    """Whether the model lies in the box of the counts, at risk 0.1."""
    evidence = Evidence.from_dense(counts.transitions, counts.rewards)
    box = Box.around(evidence, Thresholds.split(evidence, 0.1))
    means = mdp.mean_rewards.reshape(-1)
    if (means < box.rewards_low - 1e-12).any() or (means > box.rewards_high + 1e-12).any():
        return False
    law = mdp.transitions.reshape(len(means), -1)[evidence.rows, evidence.outcomes]
    spent = np.zeros(len(means))
    np.add.at(spent, evidence.rows, box.weights * np.log(box.weights / law))
    return bool((spent <= box.radii).all())


@pytest.mark.slow
def test_a_thousand_states():
    """A chain of 1,000 states: a solution takes seconds, not minutes."""
    agent = explored(riverswim(1_000), 60, discount=0.9)

    assert agent.n_solves == 6
    assert agent.solver_s / agent.n_solves < 20.0


@pytest.mark.parametrize(
    ("key", "value"), [("delta", 0.0), ("delta", 1.0), ("exploration", 1.5), ("growth", 0.0)]
)
def test_parameters_out_of_range_are_refused(key, value):
    """The message names the parameter and the value."""
    with pytest.raises(ConfigError, match=f"{key} is {value}"):
        Config(**{key: value})


def test_units_are_those_of_the_problem():
    """x = log(2 S A / delta), and the range of rewards."""
    agent = agent_for(ring(3), delta=0.01)

    assert agent.units == Units(
        discount=0.9, low=0.0, span=1.0, x=math.log(1800), least_visits=0.5, unseen_floor=0.1
    )
