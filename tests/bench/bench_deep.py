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

import numpy as np
import torch

from tests.bench import one_network
from tests.bench.one_network import second_start
from tests.bench.timed_agents import Timed, environment_of

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
