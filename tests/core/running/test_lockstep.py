"""Runs in lockstep: the rows of runs on their own, wherever each of them ends."""

import numpy as np
import pytest

from mfbpi_core import Column, Lockstep, Metric, Problem, Run, Streams
from mfbpi_core.testing.worlds.doubles import KitAgent, OneByOne
from mfbpi_core.testing.worlds.instances import ModelEnvironment, two_state_chain

PROBLEM = Problem(n_states=2, n_actions=2, discount=0.9, horizon=1_000)
SEEDS = (3, 4, 5)


class RandomEnds(ModelEnvironment):
    """The kit's chain, whose episodes last 1 to 9 steps."""

    def reset(self, *, seed=None, options=None):
        """Start an episode and draw its length."""
        shown = super().reset(seed=seed, options=options)
        if seed is not None:
            self.lengths = np.random.default_rng(seed)
        self.left = int(self.lengths.integers(1, 10))
        return shown

    def step(self, action):
        """Take a step."""
        *shown, terminated, _, info = super().step(action)
        self.left -= 1
        return *shown, terminated, self.left == 0, info

    def state_dict(self):
        """With the length of the episode."""
        return {**super().state_dict(), "left": self.left, "lengths": self.lengths.bit_generator}

    def load_state_dict(self, state):
        """With the length of the episode."""
        own = dict(state)
        self.left = own.pop("left")
        self.lengths.bit_generator.state = own.pop("lengths").state
        super().load_state_dict(own)


class Value(Metric):
    """The steps seen, and a value that the agent has learnt."""

    steps = 0

    def observe(self, transitions):
        """Count."""
        self.steps += len(transitions)

    def measure(self, snapshot):
        """Measure."""
        return {"steps": float(self.steps), "value": float(snapshot.agent.q[0, 0])}


def run(seed, agent=None, **changes):
    """A run of 200 steps."""
    streams = Streams(seed=seed)
    environment = RandomEnds(two_state_chain(), None)
    settings = {
        "environment": environment,
        "agent": agent or KitAgent(PROBLEM, None, streams.generator("agent")),
        "metrics": {"m": Value(PROBLEM, environment, None, streams.generator("metric:m"))},
        "columns": {"m": (Column(name="steps"), Column(name="value"))},
        "streams": streams,
        "horizon": 200,
        "eval_every": 30,
        **changes,
    }
    return Run(**settings)


def lockstep(**changes):
    """Runs of the three seeds."""
    rngs = [Streams(seed=seed).generator("agent") for seed in SEEDS]
    replicas = OneByOne(PROBLEM, None, rngs)
    runs = [run(s, a, **changes) for s, a in zip(SEEDS, replicas.agents, strict=True)]
    return Lockstep(replicas, runs)


def essence(rows):
    """Rows without the time they took."""
    return [(r.step, r.episode, r.metric, r.value) for r in rows]


def gathered(evaluations):
    """The rows of each run."""
    rows = [[] for _ in SEEDS]
    for measured in evaluations:
        for own, new in zip(rows, measured, strict=True):
            own.extend(new)
    return [essence(own) for own in rows]


@pytest.mark.parametrize("limits", [{}, {"episodes": 20}, {"horizon": 71, "episodes": 15}])
def test_rows_are_those_of_runs_on_their_own(limits):
    """Also where the last episodes end at different steps, and between evaluations."""
    expected = [essence(run(seed, **limits).rows()) for seed in SEEDS]

    assert gathered(lockstep(**limits).evaluations()) == expected
    assert "episodes" not in limits or len({rows[-1][0] for rows in expected}) > 1


def test_what_is_saved_between_evaluations_goes_on():
    """Restored into fresh runs, after an evaluation that only some of them had."""
    whole = gathered(lockstep(episodes=20).evaluations())
    for n_evaluations in range(1, 6):
        first = lockstep(episodes=20)
        evaluations = first.evaluations()
        begun = [next(evaluations) for _ in range(n_evaluations)]
        second = lockstep(episodes=20)
        second.load_state_dict(first.state_dict())
        assert gathered([*begun, *second.evaluations()]) == whole


def test_time_is_shared():
    """The time that all replicas take together is divided among them."""
    together = lockstep()
    gathered(together.evaluations())
    times = [run.learning_s for run in together.runs]

    assert times[0] > 0
    assert times == [times[0]] * len(SEEDS)
