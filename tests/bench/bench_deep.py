"""The deep agents: milliseconds per step, where they go, and what replicas in one process gain.

A step is an action and an update, without the environment's own. The published code was timed on
two cores of this kind, in one thread; compare ratios only. The last line says how busy the machine
was, by a batched product of known cost.
"""

from __future__ import annotations

import cProfile
import pstats
import statistics
import time
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
import torch

from mfbpi_agent_bsp.agent import BSPReplicas
from mfbpi_agent_bsp.config import Config as BSPConfig
from mfbpi_agent_bsp.config import preset as bsp_preset
from mfbpi_agent_bsp2.agent import BSP2Replicas
from mfbpi_agent_bsp2.config import Config as BSP2Config
from mfbpi_agent_bsp2.config import preset as bsp2_preset
from mfbpi_agent_dbmf_bpi.agent import DBMFBPIReplicas
from mfbpi_agent_dbmf_bpi.config import Config as DBMFBPIConfig
from mfbpi_agent_dbmf_bpi.config import preset as dbmf_bpi_preset
from mfbpi_agent_ensemble_ucb.agent import EnsembleUCBReplicas
from mfbpi_agent_ensemble_ucb.config import Config as EnsembleUCBConfig
from mfbpi_agent_ensemble_ucb.config import preset as ensemble_ucb_preset
from mfbpi_agent_ids.agent import IDSReplicas
from mfbpi_agent_ids.config import Config as IDSConfig
from mfbpi_agent_ids.config import preset as ids_preset
from mfbpi_core import Environment, Interaction, Problem
from mfbpi_env_cartpole_swingup.environment import CartpoleSwingup
from mfbpi_env_cartpole_swingup.environment import Config as CartpoleConfig
from mfbpi_env_slipping_deep_sea.environment import Config as DeepSeaConfig
from mfbpi_env_slipping_deep_sea.environment import SlippingDeepSea
from tests.bench import one_network
from tests.bench.one_network import second_start

#: Replicas of an agent, its configuration and published settings.
AGENTS = {
    "dbmf_bpi": (DBMFBPIReplicas, DBMFBPIConfig, dbmf_bpi_preset),
    "bsp": (BSPReplicas, BSPConfig, bsp_preset),
    "bsp2": (BSP2Replicas, BSP2Config, bsp2_preset),
    "ids": (IDSReplicas, IDSConfig, ids_preset),
    "ensemble_ucb": (EnsembleUCBReplicas, EnsembleUCBConfig, ensemble_ucb_preset),
}

#: Milliseconds per step of the published code, if it has the agent, and those to stay below here.
COSTS: dict[tuple[str, str], tuple[float | None, float]] = {
    ("dbmf_bpi", "slipping_deep_sea"): (349.0, 9.0),
    ("dbmf_bpi", "cartpole_swingup"): (34.0, 6.0),
    ("bsp", "slipping_deep_sea"): (98.0, 4.0),
    ("bsp", "cartpole_swingup"): (8.5, 3.0),
    ("bsp2", "slipping_deep_sea"): (98.0, 4.0),
    ("bsp2", "cartpole_swingup"): (8.5, 3.0),
    ("ids", "slipping_deep_sea"): (114.0, 6.0),
    ("ids", "cartpole_swingup"): (20.0, 5.0),
    ("ensemble_ucb", "slipping_deep_sea"): (None, 4.0),
    ("ensemble_ucb", "cartpole_swingup"): (None, 3.0),
}

#: Until moments of dead units would have decayed into denormals, as in every real run.
WARM_UP = 1500
STEPS = 600
REPLICAS = 8
REPLICA_STEPS = 150
TOP = 8

#: Milliseconds of :func:`yardstick_row` with nothing else running.
QUIET_YARDSTICK = 0.39


def environment_of(name: str, size: int = 50) -> Environment:
    """One of the two environments."""
    if name == "cartpole_swingup":
        return CartpoleSwingup(CartpoleConfig())
    return SlippingDeepSea(DeepSeaConfig(size=size))


class Timed:
    """Replicas of an agent, each in its own environment, with the time that the agent takes."""

    def __init__(
        self, agent: str, environments: list[Environment], name: str, device: str = "cpu"
    ) -> None:
        kind, config, preset = AGENTS[agent]
        problem = Problem(
            n_states=None,
            n_actions=environments[0].n_actions,
            observation_shape=environments[0].observation_shape,
            discount=0.99,
            horizon=100_000,
            environment=name,
            observation_kind=environments[0].observation_kind,
        )
        rngs = [np.random.default_rng(seed) for seed in range(len(environments))]
        settings: Any = attrs.evolve(config(), device=device, **preset(problem))
        self.replicas = kind(problem, settings, rngs)
        pairs = zip(environments, self.replicas.agents, strict=True)
        self.interactions = [Interaction(e, a, seed) for seed, (e, a) in enumerate(pairs)]

    def steps(self, n_steps: int) -> list[float]:
        """Milliseconds of each of the next steps, all replicas together."""
        return [self._step() for _ in range(n_steps)]

    def _step(self) -> float:
        observations = [i.observation for i in self.interactions]
        started = time.perf_counter()
        actions = self.replicas.select_actions(observations)
        chosen = time.perf_counter() - started
        transitions = [i.act(a) for i, a in zip(self.interactions, actions, strict=True)]
        started = time.perf_counter()
        self.replicas.update(transitions)
        return (chosen + time.perf_counter() - started) * 1e3


def profile(run: Timed) -> str:
    """The functions in which most time is spent themselves, with their share."""
    profiler = cProfile.Profile()
    profiler.runcall(run.steps, STEPS // 2)
    times: dict[str, float] = {}
    for (_, _, function), row in pstats.Stats(profiler).stats.items():  # type: ignore[attr-defined]
        name = function.removeprefix("<built-in method ").removeprefix("<method ").rstrip(">")
        name = name.partition(" of ")[0].strip("'")
        times[name] = times.get(name, 0.0) + row[2]
    total = sum(times.values())
    largest = sorted(times, key=lambda name: -times[name])[:TOP]
    return ", ".join(f"{name} {times[name] / total:.0%}" for name in largest)


def rows() -> Iterator[str]:
    """Two lines for each agent and environment, and one for the replicas."""
    for (agent, name), (published, limit) in COSTS.items():
        run = Timed(agent, [environment_of(name)], name)
        run.steps(WARM_UP)
        costs = run.steps(STEPS)
        tenth, median = np.quantile(costs, 0.1), np.median(costs)
        line = (
            f"{agent}, {name}: median {median:.3f}, first decile {tenth:.3f} ms/step "
            f"(limit {limit:g})"
        )
        if published is not None:
            line += f"; published {published:g}, ratio {published / median:.0f}"
        yield line
        yield f"  of which {profile(run)}"
    yield replicas_row()
    yield from one_network_rows()
    for name in ("cartpole_swingup", "slipping_deep_sea"):
        yield (
            f"dbmf_bpi, {name}: second start, to the first update: "
            f"{second_start('dbmf_bpi', name):.1f} s of processor time (target 3)"
        )
    yield yardstick_row()


def one_network_rows() -> Iterator[str]:
    """Both ensembles of dbmf_bpi beside one network of others."""
    name = "cartpole_swingup"
    run = Timed("dbmf_bpi", [environment_of(name)], name)
    networks = sum(each.sizes.networks for each in run.replicas.learner.networks)
    yield from one_network.rows(run.steps, networks, environment_of(name))


def yardstick_row() -> str:
    """The cost of the largest product of an update, against that on a quiet machine."""
    x, w = torch.rand(20, 256, 50), torch.rand(20, 50, 50)
    costs = []
    for _ in range(200):
        started = time.perf_counter()
        torch.bmm(x, w)
        costs.append((time.perf_counter() - started) * 1e3)
    return f"yardstick: median {np.median(costs):.2f} ms, {QUIET_YARDSTICK:g} on a quiet machine"


def replicas_row() -> str:
    """The cost of a replica among several, against that of one alone, in DeepSea 10."""
    name = "slipping_deep_sea"
    alone = Timed("dbmf_bpi", [environment_of(name, 10)], name)
    together = Timed("dbmf_bpi", [environment_of(name, 10) for _ in range(REPLICAS)], name)
    for run in (alone, together):
        run.steps(WARM_UP // 8)
    one = statistics.median(alone.steps(REPLICA_STEPS))
    each = statistics.median(together.steps(REPLICA_STEPS)) / REPLICAS
    return (
        f"dbmf_bpi, DeepSea 10, {REPLICAS} replicas in one process: {each:.3f} ms/step each, "
        f"{one:.2f} alone, gain {one / each:.1f}"
    )
