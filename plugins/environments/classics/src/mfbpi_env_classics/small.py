"""Small instances on which stopping times are measured, all with Bernoulli rewards.

**Two states** with two actions each. **Ring of three**: action 0 leads forward with probability .7,
action 1 back with .9; else the walk stays. With ``gap`` the suboptimal action of state 1 pays more,
until its gap at discount 0.9 is that small: a near-tie, on which a wrong stop shows. **Dirichlet**:
P(.|s, a) ~ Dirichlet(1, ..., 1) and mean rewards uniform on [0, 1], all drawn by
``numpy.random.default_rng(mdp_seed)``, first the probabilities.

**One law**: whatever the state, the next one is drawn from the same law, and pays with the same
probability; there is one action, and nothing to be found out but how often the law leaves a set.

All of them start in state 0, never end and are run at discount 0.9.
"""

from __future__ import annotations

import attrs
import numpy as np

from mfbpi_core import NoConfig, RunProtocol, TabularMDP, parameter
from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.errors import ConfigError
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.solution import planning

DISCOUNT = 0.9

#: Steps for each state, as in the other tabular environments.
STEPS_PER_STATE = 10_000

#: P[s, a, s'] and r[s, a] of the two states.
TWO_TRANSITIONS = (((0.8, 0.2), (0.3, 0.7)), ((0.2, 0.8), (0.7, 0.3)))
TWO_REWARDS = ((0.2, 0.0), (0.8, 0.1))

#: Probabilities that the two actions of the ring move, and r[s, a].
FORWARD, BACK = 0.7, 0.9
RING_REWARDS = ((0.1, 0.4), (0.3, 0.1), (0.9, 0.2))

#: The state of the ring whose suboptimal action makes the near-tie.
TIED = 1


def _protocol(mdp: TabularMDP) -> RunProtocol:
    return RunProtocol(horizon=STEPS_PER_STATE * mdp.n_states, discount=DISCOUNT)


class TwoStates(TabularEnvironment):
    """The two states; see the module."""

    def __init__(self, config: NoConfig) -> None:  # noqa: ARG002 - every factory has one
        mdp = TabularMDP.from_dense(TWO_TRANSITIONS, TWO_REWARDS, reward_law="bernoulli")
        super().__init__(mdp)
        self.protocol = _protocol(mdp)


@attrs.frozen(kw_only=True)
class RingConfig:
    """Parameters of the ring."""

    gap: float | None = parameter(
        None, "gap of state 1's suboptimal action at discount 0.9; none: as it is", gt=0
    )


class Ring(TabularEnvironment):
    """The ring of three; see the module."""

    def __init__(self, config: RingConfig) -> None:
        mdp = ring(config.gap)
        super().__init__(mdp)
        self.protocol = _protocol(mdp)


def ring(gap: float | None = None) -> TabularMDP:
    """The model of the ring; raises :class:`ConfigError` for a gap above the ring's own."""
    states = np.arange(3)
    transitions = np.zeros((3, 2, 3))  # P[s, a, s']
    for action, (step, probability) in enumerate(((1, FORWARD), (-1, BACK))):
        transitions[states, action, (states + step) % 3] = probability
        transitions[states, action, states] = 1.0 - probability
    rewards = np.array(RING_REWARDS)
    if gap is not None:
        rewards[TIED] += _raised(transitions, rewards, gap)
    return TabularMDP.from_dense(transitions, rewards, reward_law="bernoulli")


def _raised(transitions: FloatArray, rewards: FloatArray, gap: float) -> FloatArray:
    """What each action of the tied state pays more: V* stays, as no better policy arises."""
    plan = planning.solve(TabularMDP.from_dense(transitions, rewards), DISCOUNT)
    gaps: FloatArray = plan.values[TIED] - plan.q_values[TIED]
    gaps[plan.policy[TIED]] = 0.0
    if gap > gaps.max():
        raise ConfigError(f"parameter gap is {gap:g}; expected at most the ring's {gaps.max():.6g}")
    raised: FloatArray = np.maximum(gaps - gap, 0.0)
    return raised


@attrs.frozen(kw_only=True)
class DirichletConfig:
    """Parameters of the Dirichlet instance."""

    n_states: int = parameter(10, "number of states S", ge=1)
    n_actions: int = parameter(3, "number of actions A", ge=1)
    mdp_seed: int = parameter(7, "which instance is drawn; runs do not change it", ge=0)


class DirichletMDP(TabularEnvironment):
    """The Dirichlet instance; see the module."""

    def __init__(self, config: DirichletConfig) -> None:
        shape = config.n_states, config.n_actions
        rng = np.random.default_rng(config.mdp_seed)
        transitions = rng.dirichlet(np.ones(config.n_states), size=shape)  # P[s, a, s']
        mdp = TabularMDP.from_dense(transitions, rng.random(shape), reward_law="bernoulli")
        super().__init__(mdp)
        self.protocol = _protocol(mdp)


@attrs.frozen(kw_only=True)
class LawConfig:
    """Parameters of one law."""

    law: str = parameter("0.1,0.6,0.3,0,0", "probabilities of the states, with commas between them")
    reward: float = parameter(0.5, "probability that a step pays", ge=0, le=1)


class OneLaw(TabularEnvironment):
    """One law; see the module. Raises :class:`ConfigError` for a law that is none."""

    def __init__(self, config: LawConfig) -> None:
        law = _law(config.law)
        transitions = np.tile(law, (len(law), 1, 1))  # P[s, a, s']
        rewards = np.full((len(law), 1), config.reward)
        mdp = TabularMDP.from_dense(transitions, rewards, reward_law="bernoulli")
        super().__init__(mdp)
        self.protocol = _protocol(mdp)


def _law(text: str) -> FloatArray:
    try:
        law = np.array([float(each) for each in text.split(",")])
    except ValueError:
        law = np.zeros(0)
    if not ((law >= 0.0).all() and abs(law.sum() - 1.0) <= 1e-9):
        raise ConfigError(
            f"parameter law is {text!r}; expected probabilities that sum to 1, such as 0.7,0.3"
        )
    return law / law.sum()
