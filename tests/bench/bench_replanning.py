"""Agents that solve now and then: cost of a step of psrl, and of a solution of the others.

There is no plain version to compare with; the published code takes 16,800 (5 states) and 43,900
(50 states) microseconds for a step of psrl, and 0.2 s (5 states) and 2.6 s (20 states) for an
allocation, on a machine of the same kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mfbpi_agent_mdp_nas.agent import Config as MDPNaSConfig
from mfbpi_agent_mdp_nas.agent import MDPNaS
from mfbpi_agent_o_bpi.agent import OBPI
from mfbpi_agent_o_bpi.agent import Config as OBPIConfig
from mfbpi_agent_ps_mdp_nas.agent import Config as PSMDPNaSConfig
from mfbpi_agent_ps_mdp_nas.agent import PSMDPNaS
from mfbpi_agent_psrl.agent import PSRL
from mfbpi_agent_psrl.agent import Config as PSRLConfig
from mfbpi_core import Interaction
from mfbpi_lib_tabular.learning.agent import ReplanningAgent
from tests.bench.bench_q_learning import interaction
from tests.bench.timing import seconds

#: Steps before the clock starts: compilation, and the many solutions at first.
WARM_UP = 50_000
STEPS = 50_000
SOLUTIONS = 50

#: Steps to the next solution, more than are taken.
NEVER = 10**9

TRACKING: tuple[tuple[str, type[ReplanningAgent], Any], ...] = (
    ("mdp_nas", MDPNaS, MDPNaSConfig()),
    ("ps_mdp_nas", PSMDPNaS, PSMDPNaSConfig()),
    ("o_bpi", OBPI, OBPIConfig()),
)


def rows() -> Iterator[str]:
    """One line for each agent and size."""
    for n_states in (5, 50):
        run = interaction(PSRL, PSRLConfig(), n_states)
        run.advance(WARM_UP)
        cost = seconds(lambda run=run: run.advance(STEPS)) / STEPS * 1e6  # type: ignore[misc]
        yield f"psrl, {n_states} states: {cost:.3f} us/step with its planning (target 30)"
    for name, agent, config in TRACKING:
        for n_states in (5, 50):
            run = interaction(agent, config, n_states)
            run.advance(WARM_UP)
            yield f"{name}, {n_states} states: {milliseconds(run):.3f} ms a solution (target 5)"
            cost = microseconds_between(run)
            yield f"{name}, {n_states} states, between solutions: {cost:.4f} us/step (target .12)"


def milliseconds(run: Interaction) -> float:
    """Median duration of a solution from warm data, with a few steps of learning in between."""
    agent = run.agent
    assert isinstance(agent, ReplanningAgent)
    durations = []
    for _ in range(SOLUTIONS):
        run.advance(200)
        durations.append(seconds(agent.solve))
    return sorted(durations)[SOLUTIONS // 2] * 1e3


def microseconds_between(run: Interaction) -> float:
    """Cost of a step while no solution is due."""
    agent = run.agent
    assert isinstance(agent, ReplanningAgent)
    agent.solve = lambda: NEVER  # type: ignore[method-assign]
    run.advance(STEPS)
    return min(seconds(lambda: run.advance(STEPS)) for _ in range(5)) / STEPS * 1e6
