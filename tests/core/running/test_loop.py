"""The interaction loop: chunks, seeds, rows, and what must not matter."""

import attrs
import numpy as np
import pytest

from mfbpi_core import Column, Interaction, Metric, Problem, Run, Streams, TabularMDP
from mfbpi_core.errors import PluginError
from mfbpi_core.testing.tools.generators import poisoned
from mfbpi_core.testing.worlds.doubles import KitAgent
from mfbpi_core.testing.worlds.instances import ModelEnvironment, two_state_chain

PROBLEM = Problem(n_states=2, n_actions=2, discount=0.9, horizon=1_000)


def columns(*names):
    """Declared columns of any range."""
    return tuple(Column(name=name) for name in names)


def chain(limit=10):
    """The kit's chain."""
    return ModelEnvironment(two_state_chain(), limit)


def learner(seed=0, kind=KitAgent):
    """A Q-learner."""
    return kind(PROBLEM, None, Streams(seed=seed).generator("agent"))


class MeanReward(Metric):
    """The mean reward, its own noise, and the value of the first state."""

    total, steps = 0.0, 0

    def observe(self, transitions):
        """Add up."""
        self.total += float(transitions.rewards.sum())
        self.steps += len(transitions)

    def measure(self, snapshot):
        """Measure."""
        measured = {"noise": float(snapshot.rng().random()), "value": snapshot.agent.q[0, 0]}
        return {**measured, "mean": self.total / self.steps} if self.steps else measured


def metric(kind=MeanReward):
    """A metric for the chain."""
    return kind(PROBLEM, chain(), None, np.random.default_rng(0))


def run(seed=0, **changes):
    """A run of 1,000 steps."""
    settings = {
        "environment": chain(),
        "agent": learner(seed),
        "metrics": {"m": metric()},
        "columns": {"m": columns("noise", "value", "mean")},
        "streams": Streams(seed=seed),
        "horizon": 1_000,
        "eval_every": 200,
        **changes,
    }
    return Run(**settings)


def rows(a_run):
    """The rows without the time they took."""
    return [(r.step, r.episode, r.metric, r.value) for r in a_run.rows()]


def test_rows_from_step_zero_to_the_horizon():
    """Measured at 0, at multiples of the interval and at the end, which need not be one."""
    steps = [row.step for row in run(horizon=1_050).rows() if row.metric == "value"]

    assert steps == [0, 200, 400, 600, 800, 1_000, 1_050]


def test_what_does_not_apply_is_absent():
    """At step 0 there is no mean reward yet, and so no row of it."""
    at_zero = [row.metric for row in run().rows() if row.step == 0]

    assert at_zero == ["noise", "value"]


def test_evaluation_interval_does_not_matter():
    """Rows at common steps are bit-identical for intervals of 100, 200 and 7."""
    often, seldom, odd = (rows(run(eval_every=n)) for n in (100, 200, 7))

    assert [row for row in often if row[0] % 200 == 0] == seldom
    common = {row[0] for row in odd} & {row[0] for row in seldom}
    assert common == {0, 1_000}
    assert [r for r in odd if r[0] in common] == [r for r in seldom if r[0] in common]


def test_poisoned_global_generators_change_nothing():
    """Whatever state the global generators are in, rows are the same and they stay put."""
    reference = rows(run())

    with poisoned(seed=1):
        assert rows(run()) == reference


def test_order_of_agents_does_not_matter():
    """Runs share nothing: either order, or alone, gives each agent the same rows."""
    orders = [(0, 1), (1, 0), (1,)]

    found = [{seed: rows(run(seed)) for seed in order} for order in orders]

    assert found[0] == found[1]
    assert found[0][1] == found[2][1]
    assert found[0][0] != found[0][1]


def test_every_way_of_seeding_has_the_same_effect():
    """The loop's seed is the environment's reset(seed=...), whatever was done to it before."""
    used = chain()
    used.reset(seed=99)
    used.step(0)

    fresh = Interaction(chain(), learner(), seed=4).advance(100)
    again = Interaction(used, learner(), seed=4).advance(100)
    other = Interaction(chain(), learner(), seed=5).advance(100)

    assert fresh.observations.tolist() == again.observations.tolist()
    assert fresh.observations.tolist() != other.observations.tolist()


class Fixed(KitAgent):
    """Always acts alike, but draws as it pleases from its own generator."""

    draws = 0

    def select_action(self, observation):
        """Action 1."""
        self.rng.random(self.draws)
        return 1


class FixedToo(Fixed):
    """The same with more draws."""

    draws = 3


def test_two_agents_meet_the_same_noise():
    """With one seed, agents that act alike see the same states and rewards."""
    interactions = [
        Interaction(chain(), learner(kind=kind), Streams(seed=0).integer("env"))
        for kind in (Fixed, FixedToo)
    ]

    one, two = (interaction.advance(300) for interaction in interactions)

    assert one.next_observations.tolist() == two.next_observations.tolist()
    assert one.rewards.tolist() == two.rewards.tolist()


def test_environment_is_seeded_once():
    """reset(seed) at the start, reset() afterwards."""

    class Watched(ModelEnvironment):
        seeds: list[int | None] = []  # noqa: RUF012 - read by the test

        def reset(self, *, seed=None, options=None):
            self.seeds.append(seed)
            return super().reset(seed=seed, options=options)

    Interaction(Watched(two_state_chain(), 10), learner(), seed=6).advance(25)

    assert Watched.seeds == [6, None, None]


class Eager(KitAgent):
    """Learns at full rate of a single state."""

    def update(self, transition):
        """Move half way to the target; only a termination has no future."""
        t = transition
        future = 0.0 if t.terminated else self.q[t.next_observation].max()
        self.q[t.observation, t.action] += 0.5 * (t.reward + 0.9 * future - self.q[0, t.action])


def test_truncation_is_not_termination():
    """One state, reward 1, gamma 0.9, limit 5: the value tends to 1 / (1 - 0.9) = 10."""
    mdp = TabularMDP.from_dense([[[1.0]]], [[1.0]])
    problem = attrs.evolve(PROBLEM, n_states=1, n_actions=1)
    agent = Eager(problem, None, np.random.default_rng(0))

    chunk = Interaction(ModelEnvironment(mdp, 5), agent, seed=0).advance(1_000)

    assert not chunk.terminated.any()
    assert np.flatnonzero(chunk.truncated).tolist() == list(range(4, 1_000, 5))
    assert agent.q[0, 0] == pytest.approx(10.0, rel=1e-9)


def test_next_observation_of_a_truncated_step_is_where_it_led():
    """The state after reset belongs to the next step, not to the one that was cut."""
    mdp = TabularMDP.from_dense([[[0.0, 1.0]], [[0.0, 1.0]]], [[0.0], [0.0]])
    agent = KitAgent(attrs.evolve(PROBLEM, n_actions=1), None, np.random.default_rng(0))

    chunk = Interaction(ModelEnvironment(mdp, 2), agent, seed=0).advance(4)

    assert chunk.observations.tolist() == [0, 1, 0, 1]
    assert chunk.next_observations.tolist() == [1, 1, 1, 1]


def test_episodes_stop_a_run():
    """A number of episodes ends the run at the end of the last one, and is measured there."""
    found = list(run(episodes=3, eval_every=25).rows())

    assert (found[-1].step, found[-1].episode) == (30, 3)
    assert {row.step for row in found} == {0, 25, 30}


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(value):
    """NaN and infinity never reach a table; the message names metric and column."""

    class Bad(Metric):
        def measure(self, snapshot):
            return {"value": value}

    with pytest.raises(PluginError, match=r"metric m returned value=.*expected a finite number"):
        list(run(metrics={"m": metric(Bad)}).rows())


def test_undeclared_column_is_refused():
    """A metric that returns what its spec lacks is named."""
    with pytest.raises(PluginError, match="metric m returned 'noise', which its spec lacks"):
        list(run(columns={"m": columns("value")}).rows())


def test_total_time_includes_what_came_before_a_checkpoint():
    """The parts of a restored run sum to at most its total, however little it does after."""
    first = run()
    list(first.rows())
    saved = first.state_dict()
    saved["learning_s"], saved["total_s"] = 100.0, 150.0
    second = run()

    second.load_state_dict(saved)

    assert second.learning_s + second.metrics_s <= second.total_s < 151.0
    assert second.state_dict()["total_s"] >= 150.0


def test_end_is_told_to_metrics():
    """Once, whatever ends the run: steps, or episodes between two evaluations."""

    class Ends(Metric):
        def measure(self, snapshot):
            return {"value": float(snapshot.last)}

    for limits, end in (({}, 1_000), ({"episodes": 3, "eval_every": 25}, 30)):
        found = list(run(metrics={"m": metric(Ends)}, **limits).rows())
        assert [row.step for row in found if row.value] == [end] == [found[-1].step]


def test_times_add_up():
    """Durations are never negative, rise along the run, and are the sum of their parts."""
    a_run = run()
    elapsed = [row.elapsed_s for row in a_run.rows()]

    assert elapsed[0] >= 0.0
    assert elapsed == sorted(elapsed)
    assert elapsed[-1] == a_run.learning_s + a_run.metrics_s
    assert a_run.learning_s > 0.0
