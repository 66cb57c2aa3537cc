"""Replicas on a GPU: milliseconds per step of each, alone and as one batch.

Needs a torch that sees a GPU; without one it says so and measures nothing. Costs on the CPU of the
same machine stand beside, one seed, compiled.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from tests.bench.timed_agents import Timed, environment_of

AGENTS = ("dbmf_bpi", "bsp2")

#: Environments with the size of DeepSea.
ENVIRONMENTS = (("slipping_deep_sea", 30), ("cartpole_swingup", 0))

REPLICAS = (1, 8, 32)
WARM_UP = 300
STEPS = 200


def rows() -> Iterator[str]:
    """A line for each agent, environment and number of replicas."""
    if not torch.cuda.is_available():
        yield "gpu: this torch sees no GPU; nothing measured"
        return
    yield f"gpu: {torch.cuda.get_device_name()}, torch {torch.__version__}"
    for agent in AGENTS:
        for name, size in ENVIRONMENTS:
            yield f"{agent}, {name}: {cost(agent, name, size, 1, 'cpu'):.3f} ms/step on the CPU"
            for replicas in REPLICAS:
                each = cost(agent, name, size, replicas, "cuda")
                yield f"{agent}, {name}: {each:.3f} ms/step each, {replicas} replicas on the GPU"


def cost(agent: str, name: str, size: int, replicas: int, device: str) -> float:
    """Median milliseconds of a step, for each replica."""
    environments = [environment_of(name, size) for _ in range(replicas)]
    run = Timed(agent, environments, name, device=device)
    run.steps(WARM_UP)
    return float(np.median(run.steps(STEPS))) / replicas
