"""Drivers and chunks: how steps are taken and handed on."""

import numpy as np
import pytest

from mfbpi_core import Column, Interaction, Metric, Problem, Run, Streams
from mfbpi_core.running import interaction as core_interaction
from mfbpi_core.running.guard import Guard
from mfbpi_core.testing.tools.comparison import difference
from mfbpi_core.testing.worlds.doubles import KitAgent, Recorder
from mfbpi_core.testing.worlds.instances import ModelEnvironment, OneHotEnvironment, two_state_chain

PROBLEM = Problem(n_states=2, n_actions=2, discount=0.9, horizon=1_000)


def chain():
    """The kit's chain."""
    return ModelEnvironment(two_state_chain(), 10)


def learner(kind=KitAgent):
    """A Q-learner."""
    return kind(PROBLEM, None, np.random.default_rng(0))


class Total(Metric):
    """The rewards so far, and what the agent has learnt."""

    total = 0.0

    def observe(self, transitions):
        """Add up."""
        self.total += float(transitions.rewards.sum())

    def measure(self, snapshot):
        """Measure."""
        return {"total": self.total, "value": float(snapshot.agent.q[0, 0])}


def run_with(metric, eval_every):
    """A run of 1,000 steps that one metric watches."""
    return Run(
        environment=chain(),
        agent=learner(),
        metrics={"m": metric(PROBLEM, chain(), None, np.random.default_rng(0))},
        columns={"m": (Column(name="total"), Column(name="value"))},
        streams=Streams(seed=0),
        horizon=1_000,
        eval_every=eval_every,
    )


def values(rows):
    """The rows of one evaluation without the time they took."""
    return [(row.step, row.metric, row.value) for row in rows]


def test_chunks_are_bounded(monkeypatch):
    """An evaluation interval beyond the longest chunk is divided; nothing is lost."""
    monkeypatch.setattr(core_interaction, "MAX_CHUNK_STEPS", 64)
    run = run_with(Recorder, eval_every=1_000)

    list(run.rows())

    chunks = run.metrics["m"].chunks
    lengths = [len(chunk) for chunk in chunks]
    assert (max(lengths), sum(lengths)) == (64, 1_000)
    starts = np.cumsum([0, *lengths[:-1]])
    assert [chunk.start for chunk in chunks] == starts.tolist()


@pytest.mark.parametrize(
    ("n_states", "expected"),
    [(1, 50_000), (2_500, 2**26 // (16 * 2_500)), (2**30, 1)],
)
def test_chunks_of_arrays_are_bounded_in_bytes(n_states, expected):
    """Large observations make short chunks, of one step at least."""
    environment = OneHotEnvironment(two_state_chain())
    environment.observation_shape = (n_states,)

    assert core_interaction.longest_chunk(environment) == expected


@pytest.mark.parametrize("stop", [1, 3])
def test_saved_run_goes_on(stop):
    """Saved between two evaluations and loaded into a new run, the rest is the same."""
    whole, half, rest = (run_with(Total, eval_every=200) for _ in range(3))
    expected = [values(rows) for rows in whole.evaluations()]

    begun = half.evaluations()
    first = [values(next(begun)) for _ in range(stop)]
    rest.load_state_dict(half.state_dict())

    assert first + [values(rows) for rows in rest.evaluations()] == expected
    assert difference(rest.agent.state_dict(), whole.agent.state_dict()) is None


class Simulated(ModelEnvironment):
    """Offers itself as a simulator."""

    @property
    def simulator(self):
        """Itself."""
        return self

    @property
    def observation(self):
        """Where it is."""
        return self.observe(self.state)


class Compiled(KitAgent):
    """Pretends to be compiled: counts the calls and steps for itself."""

    calls = 0

    def advance(self, simulator, n_steps):
        """One chunk."""
        self.calls += 1
        inner = Interaction.__new__(Interaction)
        vars(inner).update(
            environment=simulator, agent=self, observation=simulator.state, step=99, episode=0
        )
        vars(inner).update(_ahead=0, _guard=Guard(simulator, "environment", "agent"))
        return inner._step_by_step(n_steps, None)


def test_compiled_driver_is_used_where_both_can():
    """The chunk of the compiled driver is taken as it is, but for its start."""
    agent = learner(kind=Compiled)
    interaction = Interaction(Simulated(two_state_chain(), 10), agent, seed=0)

    first, second = interaction.advance(30), interaction.advance(20)

    assert agent.calls == 2
    assert (first.start, second.start, interaction.step, interaction.episode) == (0, 30, 50, 5)


def test_step_by_step_for_a_number_of_episodes():
    """Where episodes are counted, steps are taken one by one."""
    agent = learner(kind=Compiled)
    interaction = Interaction(Simulated(two_state_chain(), 10), agent, seed=0)

    chunk = interaction.advance(100, n_episodes=2)

    assert agent.calls == 0
    assert len(chunk) == 20


class Rewriting(OneHotEnvironment):
    """Shows one array for ever, written anew at each step."""

    def _written(self, shown):
        if not hasattr(self, "buffer"):
            self.buffer = np.array(shown)
        self.buffer[...] = shown
        return self.buffer

    def reset(self, *, seed=None, options=None):
        """In the one array."""
        shown, info = super().reset(seed=seed, options=options)
        return self._written(shown), info

    def step(self, action):
        """Likewise."""
        shown, *rest = super().step(action)
        return self._written(shown), *rest


class Alternating(KitAgent):
    """Left, right, left; keeps what it has seen."""

    def __init__(self, about):
        self.problem, self.seen, self.t = about, [], 0

    def select_action(self, observation):
        """In turn."""
        self.t += 1
        self.seen.append(observation)
        return self.t % 2

    def update(self, transition):
        """Keep what follows."""
        self.seen.append(transition.next_observation)


def test_arrays_that_are_written_anew_are_kept_as_they_were():
    """Observation, next observation and chunk are those of an environment with fresh arrays."""
    chunks = []
    for kind in (OneHotEnvironment, Rewriting):
        environment = kind(two_state_chain(), 10)
        about = Problem(
            n_states=None,
            n_actions=2,
            observation_shape=environment.observation_shape,
            discount=0.9,
            horizon=60,
        )

        agent = Alternating(about)
        chunk = Interaction(environment, agent, seed=0).advance(60)
        chunks.append((chunk.observations, chunk.next_observations, np.array(agent.seen)))
    for fresh, rewritten in zip(*chunks, strict=True):
        assert len(np.unique(fresh, axis=0)) > 1
        np.testing.assert_array_equal(fresh, rewritten)
