"""Whether a checkout is as fast as another: benchmarks in turn, compared pair by pair."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
from collections import defaultdict
from pathlib import Path

from mfbpi_lib_statistics.bootstrap import median_interval

#: Rounds in each of which both checkouts run once, in alternating order.
ROUNDS = 9

#: A median ratio is too slow if even the lower end of its interval is beyond this.
SLOWER = 1.03

#: A cost in a line of a benchmark: the first number with a unit of time behind it.
_COST = re.compile(r"(\d+(?:\.\d+)?(?:e-?\d+)?) ?(us|ms|s)\b")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}

Costs = dict[str, float]


def compare(here: Path, other: Path, names: list[str]) -> int:
    """Print the ratio here / other of each line; 1 if one is slower beyond doubt."""
    pairs: dict[str, list[float]] = defaultdict(list)
    for turn in range(ROUNDS):
        order = (here, other) if turn % 2 == 0 else (other, here)
        found = {checkout: costs(checkout, names) for checkout in order}
        for line in found[here].keys() & found[other].keys():
            pairs[line].append(found[here][line] / found[other][line])
    slower = [_show(line, ratios) for line, ratios in sorted(pairs.items())]
    return int(any(slower))


def _show(line: str, ratios: list[float]) -> bool:
    interval = median_interval(ratios)
    low, high = interval.low or interval.median, interval.high or interval.median
    slower = low > SLOWER
    verdict = "  SLOWER" if slower else ""
    print(
        f"{line}: {statistics.median(ratios):.3f} [{low:.3f}, {high:.3f}] n={len(ratios)}{verdict}"
    )
    return slower


def costs(checkout: Path, names: list[str]) -> Costs:
    """Seconds of each line that a checkout's benchmarks print."""
    done = subprocess.run(
        [str(checkout / ".venv/bin/python"), "-m", "tests.bench", *names],
        cwd=checkout,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(filter(None, map(cost, done.stdout.splitlines())))


def cost(line: str) -> tuple[str, float] | None:
    """What a line is about, and its seconds; None where it states none.

    >>> cost("mf_bpi, 5 states: compiled 2.09 us/step, numpy 322 us/step, ratio 154")
    ('mf_bpi, 5 states', 2.09e-06)
    """
    about, _, figures = line.partition(": ")
    found = _COST.search(figures)
    if line.startswith(" ") or found is None:
        return None
    return about, float(f"{float(found[1]) * _SECONDS[found[2]]:.6g}")
