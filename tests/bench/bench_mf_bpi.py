"""MF-BPI: compiled against plain numpy, per step, at 5 and 50 states."""

from __future__ import annotations

from collections.abc import Iterator

from mfbpi_agent_mf_bpi.agent import MFBPI, Config
from mfbpi_core import Agent, Interaction, Problem, Streams
from mfbpi_env_riverswim.environment import Config as RiverSwimConfig
from mfbpi_env_riverswim.environment import RiverSwim
from tests.bench.numpy_mf_bpi import NumpyMFBPI
from tests.bench.timing import side_by_side

NUMPY_STEPS = 400
COMPILED_STEPS = 40_000


def interaction(agent: type[Agent], n_states: int) -> Interaction:
    """An agent in RiverSwim, past its first steps."""
    environment = RiverSwim(RiverSwimConfig(n_states=n_states))
    problem = Problem(
        n_states=n_states, n_actions=2, discount=0.99, horizon=environment.protocol.horizon or 0
    )
    streams = Streams(0)
    built = agent(problem, Config(), streams.generator("agent"))
    return Interaction(environment, built, streams.integer("env"))


def rows() -> Iterator[str]:
    """One line for each size, and the growth of the cost from 5 to 50 states."""
    cost = {}
    for n_states in (5, 50):
        compiled, plain = interaction(MFBPI, n_states), interaction(NumpyMFBPI, n_states)
        fast, slow, _ = side_by_side(
            lambda run=compiled: run.advance(COMPILED_STEPS),  # type: ignore[misc]
            lambda run=plain: run.advance(NUMPY_STEPS),  # type: ignore[misc]
        )
        cost[n_states] = fast / COMPILED_STEPS * 1e6
        numpy_cost = slow / NUMPY_STEPS * 1e6
        yield (
            f"mf_bpi, {n_states} states: compiled {cost[n_states]:.3f} us/step, "
            f"numpy {numpy_cost:.0f} us/step, ratio {numpy_cost / cost[n_states]:.0f} (target 200)"
        )
    yield f"mf_bpi, cost at 50 states over cost at 5: {cost[50] / cost[5]:.2f} (target 3)"
