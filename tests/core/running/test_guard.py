"""What environments show and agents choose is checked before the other side sees it."""

import math

import attrs
import numpy as np
import pytest

from mfbpi_core import Interaction, Lockstep, Problem, Run, Streams
from mfbpi_core.errors import PluginError
from mfbpi_core.testing.worlds.doubles import KitAgent, OneByOne
from mfbpi_core.testing.worlds.instances import ModelEnvironment, OneHotEnvironment, two_state_chain

PROBLEM = Problem(n_states=2, n_actions=2, discount=0.9, horizon=1_000)

#: Step at which the environments below go wrong; the chain's episodes are 10 steps long.
BAD_STEP = 7


class Wrong(ModelEnvironment):
    """Shows something else in its seventh step."""

    def __init__(self, place=0, value=None, base=two_state_chain):
        super().__init__(base(), 10)
        self.place, self.value, self.taken = place, value, 0

    def step(self, action):
        """As the chain, but once."""
        self.taken += 1
        shown = list(super().step(action))
        if self.taken == BAD_STEP:
            shown[self.place] = self.value
        return tuple(shown)


class WrongArrays(Wrong, OneHotEnvironment):
    """The same with arrays."""


class Watchful(KitAgent):
    """Remembers what it learnt from, and always takes action 1."""

    def __init__(self, problem, config, rng):
        super().__init__(problem, config, rng)
        self.seen = []

    def select_action(self, observation):
        """Action 1."""
        return 1

    def update(self, transition):
        """Remember."""
        self.seen.append(transition)


def problem_of(environment):
    """What an agent is told about an environment."""
    return attrs.evolve(
        PROBLEM, n_states=environment.n_states, observation_shape=environment.observation_shape
    )


def interaction(environment, kind=Watchful):
    """An agent at the start of a run."""
    agent = kind(problem_of(environment), None, np.random.default_rng(0))
    return Interaction(environment, agent, 0, environment_name="environment odd of odd 1.0")


STATES = "expected a state, an integer from 0 to 1"
REFUSED = {
    "nan reward": (1, math.nan, "reward nan; expected a finite number from 0 to 1, the env"),
    "infinite reward": (1, math.inf, "reward inf; expected a finite number from 0 to 1"),
    "undeclared reward": (1, 5.0, "reward 5.0; expected a finite number from 0 to 1"),
    "negative reward": (1, np.float32(-0.5), r"reward np.float32\(-0.5\); expected a finite"),
    "text for a reward": (1, "1", "reward '1'; expected a finite number"),
    "no reward": (1, None, "reward None; expected a finite number"),
    "array of rewards": (1, np.ones(1), r"reward array\(\[1.\]\); expected a finite number"),
    "state S": (0, 2, f"observation 2; {STATES}"),
    "huge state": (0, 10**30, STATES),
    "negative state": (0, -1, f"observation -1; {STATES}"),
    "state with a fraction": (0, 1.0, f"observation 1.0; {STATES}"),
    "boolean state": (0, True, f"observation True; {STATES}"),
    "array for a state": (0, np.array([1]), STATES),
    "text for a state": (0, "1", f"observation '1'; {STATES}"),
    "text for terminated": (2, "no", "terminated is 'no'; expected True or False"),
    "info for truncated": (3, {}, "truncated is {}; expected True or False"),
    "no truncated": (3, None, "truncated is None; expected True or False"),
    "number for truncated": (3, 0.5, "truncated is 0.5; expected True or False"),
}


@pytest.mark.parametrize(("place", "value", "says"), REFUSED.values(), ids=REFUSED)
def test_what_was_not_declared_ends_the_run(place, value, says):
    """At that step, which is named with its pair, before the agent sees it."""
    run = interaction(Wrong(place, value))

    with pytest.raises(PluginError, match=says) as caught:
        run.advance(20)

    assert len(run.agent.seen) == BAD_STEP - 1
    where = "environment odd of odd 1.0 at step 7, observation "
    assert str(caught.value).startswith(where)
    assert f"{where}{run.observation}, action 1: " in str(caught.value)


ARRAYS_REFUSED = {
    "nan": (np.array([np.nan, 1.0], np.float32), r"array\(\[nan, 1.\], dtype=float32\), float32"),
    "infinity": (np.array([0.0, np.inf], np.float32), "expected finite numbers of shape"),
    "shape": (np.zeros(3, np.float32), r"float32 of shape \(3,\); expected .* shape \(2,\)"),
    "text": (np.array(["0", "1"]), r"<U1 of shape \(2,\); expected finite numbers"),
    "complex": (np.array([0j, 1j]), "complex128 of shape"),
    "objects": (np.array([0, None]), "object of shape"),
    "none": (None, r"observation None, object of shape \(\)"),
    "a state": (1, r"observation 1, int64 of shape \(\); expected finite numbers of shape \(2,\)"),
}


@pytest.mark.parametrize(("value", "says"), ARRAYS_REFUSED.values(), ids=ARRAYS_REFUSED)
def test_arrays_must_be_finite_and_of_their_shape(value, says):
    """An array with NaN, of another shape or of no numbers ends the run at that step."""
    run = interaction(WrongArrays(0, value))

    with pytest.raises(PluginError, match=says):
        run.advance(20)

    assert len(run.agent.seen) == BAD_STEP - 1


ACCEPTED = {
    "numpy integer": (0, np.int64(1), 1),
    "small integer": (0, np.uint8(1), 1),
    "integer without axes": (0, np.array(1), 1),
    "integer reward": (1, 1, 1.0),
    "boolean reward": (1, np.True_, 1.0),
    "numpy reward": (1, np.float32(0.25), 0.25),
    "reward without axes": (1, np.array(0.25), 0.25),
    "rounded reward": (1, 1.0 + 1e-12, 1.0 + 1e-12),
    "numpy flag": (2, np.True_, True),
    "flag without axes": (3, np.array(True), True),
    "number for a flag": (2, 0, False),
}


@pytest.mark.parametrize(("place", "value", "expected"), ACCEPTED.values(), ids=ACCEPTED)
def test_what_is_exact_is_converted(place, value, expected):
    """Numbers of numpy become Python's; the agent sees those."""
    run = interaction(Wrong(place, value))

    run.advance(20)

    seen = run.agent.seen[BAD_STEP - 1]
    values = (seen.next_observation, seen.reward, seen.terminated, seen.truncated)
    assert values[place] == expected
    assert type(values[place]) is type(expected)


def test_large_finite_arrays_are_accepted():
    """Also where the sum of their squares is not a number of their type."""
    run = interaction(WrongArrays(0, np.full(2, 1e30, np.float32)))

    assert len(run.advance(20)) == 20


def test_lists_become_arrays():
    """A list of numbers is an array in the making."""
    run = interaction(WrongArrays(0, [0.5, 0.25]))

    run.advance(20)

    assert run.agent.seen[BAD_STEP - 1].next_observation.tolist() == [0.5, 0.25]


class OldReset(ModelEnvironment):
    """Resets as Gym did before version 0.26."""

    def reset(self, *, seed=None, options=None):
        """The observation alone."""
        return super().reset(seed=seed)[0]


class OldStep(ModelEnvironment):
    """Steps as Gym did before version 0.26."""

    def step(self, action):
        """Four values."""
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated or truncated, info


class NoSeed(ModelEnvironment):
    """Knows no seeds, as in Gym before version 0.21."""

    def reset(self):
        """Without anything."""
        return super().reset()


class NeedsSeed(ModelEnvironment):
    """Would fail at the start of its second episode."""

    def reset(self, seed):
        """With a seed alone."""
        return super().reset(seed=seed)


class NoAction(ModelEnvironment):
    """A step that takes nothing."""

    def step(self):
        """Nowhere."""
        return super().step(0)


class Anything(ModelEnvironment):
    """A wrapper that passes on what it is given."""

    def reset(self, *args, **kwargs):
        """As given."""
        return super().reset(*args, **kwargs)

    def step(self, *args):
        """As given."""
        return super().step(*args)


class LaterReset(ModelEnvironment):
    """Starts its second episode in a state that does not exist."""

    episodes = 0

    def reset(self, *, seed=None, options=None):
        """Well at first."""
        self.episodes += 1
        return (super().reset(seed=seed)[0], {}) if self.episodes == 1 else (2, {})


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (
            OldReset,
            r"environment OldReset: reset before step 1 returned [01]; expected \(obs.*0.26",
        ),
        (OldStep, r"environment OldStep: step 1 returned \(.*; expected \(observation, reward, te"),
        (
            NoSeed,
            r"^environment NoSeed: reset\(\) does not take reset\(seed=0\): .*'seed'; expected",
        ),
        (
            NeedsSeed,
            r"^environment NeedsSeed: reset\(seed\) does not take reset\(\): missing .*0.26",
        ),
        (NoAction, r"^environment NoAction: step\(\) does not take step\(0\): too many .*action\)"),
        (LaterReset, "environment LaterReset: reset before step 11: observation 2; expected"),
    ],
)
def test_old_signatures_are_named(kind, says):
    """What came and what was expected, in one line."""
    with pytest.raises(PluginError, match=says) as caught:
        Interaction(kind(two_state_chain(), 10), Watchful(PROBLEM, None, None), 0).advance(20)

    assert "\n" not in str(caught.value)


def test_wrappers_take_anything():
    """What passes on whatever it is given can be called."""
    run = Interaction(Anything(two_state_chain(), 10), Watchful(PROBLEM, None, None), 0)

    assert len(run.advance(20)) == 20


def test_replicas_are_checked_too():
    """In lockstep, each replica's step has its own number."""
    rngs = [np.random.default_rng(seed) for seed in range(2)]
    replicas = OneByOne(PROBLEM, None, rngs)
    environments = (ModelEnvironment(two_state_chain(), 10), Wrong(1, math.nan))
    runs = [
        Run(
            environment=environment,
            agent=agent,
            metrics={},
            columns={},
            streams=Streams(0),
            horizon=20,
            eval_every=5,
        )
        for environment, agent in zip(environments, replicas.agents, strict=True)
    ]

    with pytest.raises(PluginError, match=r"environment Wrong at step 7, .*: reward nan"):
        list(Lockstep(replicas, runs).evaluations())
