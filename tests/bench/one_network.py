"""What one Q-network costs elsewhere, beside our ensembles, on Cartpole with the same sizes."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

from mfbpi_core import Environment
from tests.bench.loops import BATCH, Steps, loops

#: Steps before the first round, steps of a round, and rounds.
WARM_UP, STEPS, ROUNDS = 1000, 200, 5


def rows(ours: Steps, networks: int, environment: Environment) -> Iterator[str]:
    """Whole steps with the environment's own, in turn; ``ours`` takes that many steps."""
    for name, make in loops(environment).items():
        try:
            other = make()
        except ImportError:
            yield f"{name}: its packages are not installed, no comparison"
            continue
        mine, theirs = _medians(ours, other)
        yield (
            f"dbmf_bpi, cartpole_swingup: {networks} networks {mine:.2f} ms/step with the "
            f"environment; {name}: one network {theirs:.2f}, ratio {theirs / mine:.2f} (target 1)"
        )


def _medians(ours: Steps, other: Steps) -> tuple[float, float]:
    """Processor milliseconds of a step of both, rounds in turn."""
    ours(WARM_UP)
    other(WARM_UP)
    pairs = [(_of_a_step(ours), _of_a_step(other)) for _ in range(ROUNDS)]
    first, second = (statistics.median(each) for each in zip(*pairs, strict=True))
    return first, second


def _of_a_step(steps: Steps) -> float:
    started = time.process_time()
    steps(STEPS)
    return (time.process_time() - started) / STEPS * 1e3


#: A process that goes as far as its first update, with the first full batch, and says what
#: processor time that took: unlike a clock, it hardly depends on what else runs.
FIRST_UPDATE = f"""
import sys, time
from tests.bench.timed_agents import Timed, environment_of
Timed(sys.argv[1], [environment_of(sys.argv[2])], sys.argv[2]).steps({BATCH})
print(time.process_time())
"""


def second_start(agent: str, environment: str) -> float:
    """Processor seconds, imports included, of a process that finds its code compiled."""
    command = [sys.executable, "-c", FIRST_UPDATE, agent, environment]
    runs = [subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(2)]
    return float(runs[-1].stdout)
