"""``python -m tests.chaos --kills 100 --seed 0``: exit code 0 if every table came out right."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from tests.chaos import ground
from tests.chaos.chaos import Chaos
from tests.chaos.grid import MODES


def main() -> None:
    """Kill so often, resume after each, compare, and say what was killed when."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mode", choices=list(MODES), default="process")
    parser.add_argument("--place", choices=ground.PLACES, default="files")
    given = parser.parse_args()
    started = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        ground.prepared(Path(folder), given.mode, given.place, given.seed) as where,
    ):
        chaos = Chaos.prepared(where, given.seed)
        for number in range(1, given.kills + 1):
            print(f"{number:4d}: {chaos.kill()}", flush=True)
        chaos.settle()
        print(f"{chaos.report()}; {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
