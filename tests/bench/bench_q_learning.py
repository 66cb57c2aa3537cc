"""Q-learning and Q-UCB: compiled against plain numpy Q-learning, per step, at 5 and 50 states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mfbpi_agent_q_learning.agent import Config as QLearningConfig
from mfbpi_agent_q_learning.agent import QLearning
from mfbpi_agent_q_ucb.agent import QUCB
from mfbpi_agent_q_ucb.agent import Config as QUCBConfig
from mfbpi_core import Agent, Interaction, Problem, Registry, Streams
from mfbpi_core.plugins import assembly
from mfbpi_env_riverswim.environment import Config as RiverSwimConfig
from mfbpi_env_riverswim.environment import RiverSwim
from tests.bench.numpy_q_learning import NumpyQLearning
from tests.bench.timing import side_by_side

NUMPY_STEPS = 20_000
COMPILED_STEPS = 1_000_000

COMPILED: tuple[tuple[str, type[Agent], Any], ...] = (
    ("q_learning", QLearning, QLearningConfig()),
    ("q_ucb", QUCB, QUCBConfig()),
)


def interaction(agent: type[Agent], config: Any, n_states: int) -> Interaction:
    """An agent at the start of a run in RiverSwim."""
    environment = RiverSwim(RiverSwimConfig(n_states=n_states))
    problem = Problem(
        n_states=n_states, n_actions=2, discount=0.99, horizon=environment.protocol.horizon or 0
    )
    streams = Streams(0)
    bound = assembly.named(Registry.discover(), config, problem.discount)
    built = agent(problem, config, streams.generator("agent"), **bound)
    return Interaction(environment, built, streams.integer("env"))


def rows() -> Iterator[str]:
    """One line for each agent and size."""
    for name, agent, config in COMPILED:
        for n_states in (5, 50):
            compiled = interaction(agent, config, n_states)
            plain = interaction(NumpyQLearning, QLearningConfig(), n_states)
            fast, slow, _ = side_by_side(
                lambda run=compiled: run.advance(COMPILED_STEPS),  # type: ignore[misc]
                lambda run=plain: run.advance(NUMPY_STEPS),  # type: ignore[misc]
            )
            cost, numpy_cost = fast / COMPILED_STEPS * 1e6, slow / NUMPY_STEPS * 1e6
            yield (
                f"{name}, {n_states} states: compiled {cost:.4f} us/step (target 0.06), numpy "
                f"Q-learning {numpy_cost:.1f} us/step, ratio {numpy_cost / cost:.0f} (target 450)"
            )
