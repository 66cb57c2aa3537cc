"""One kill after the other, each at a moment of its own, and what must be there in the end."""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from mfbpi.results.storage.directory import ARRAYS, CHECKPOINTS
from tests.chaos import grid, processes

#: Part of a whole run that goes into imports, of the driver and of its workers.
STARTUP = 0.4

#: Seconds to wait for a file to be written before any moment will do.
_WRITING_S = 10.0

#: Moments and how often each is chosen.
MOMENTS = {"starting": 0.3, "anywhere": 0.3, "saving": 0.25, "writing": 0.15}

#: Moments at which a file is half written, and where.
_FOLDERS = {"saving": CHECKPOINTS, "writing": ARRAYS}


@attrs.define(kw_only=True)
class Chaos:
    """A grid that is killed and resumed, over and over.

    Attributes:
        folder: where the directories of results are made.
        rng: chooses moments and victims.
        whole: the tables of the undisturbed grid.
        whole_s: seconds that it took.
        n_grids: grids begun; one that is complete is checked, and the next begun.
        counts: kills by victim and moment.
        mode: how the grid is carried out, of :data:`tests.chaos.grid.MODES`.
    """

    folder: Path
    rng: np.random.Generator
    whole: dict[str, list[Any]]
    whole_s: float
    n_grids: int = 1
    counts: Counter[str] = attrs.field(factory=Counter)
    mode: str = "process"

    @classmethod
    def prepared(cls, folder: Path, seed: int, mode: str = "process") -> Chaos:
        """Run the grid once, undisturbed."""
        started = time.monotonic()
        grid.complete(folder / "whole", mode)
        whole_s = time.monotonic() - started
        whole = grid.tables(folder / "whole")
        grid.check(folder / "whole", whole)
        rng = np.random.default_rng(seed)
        return cls(folder=folder, rng=rng, whole=whole, whole_s=whole_s, mode=mode)

    @property
    def directory(self) -> Path:
        """Where the present grid is."""
        return self.folder / f"grid{self.n_grids}"

    def kill(self) -> str:
        """Start or resume the grid and kill a part of it; returns which and when."""
        while True:
            moment = str(self.rng.choice(list(MOMENTS), p=list(MOMENTS.values())))
            drivers = grid.start(self.directory, self.mode)
            victim = drivers[int(self.rng.integers(len(drivers)))]
            self._wait(moment, victim)
            struck = self._strike(victim)
            self._end_others(victim, drivers)
            if struck:
                self.counts[f"{struck} {moment}"] += 1
                return f"{struck} {moment}"
            assert all(d.returncode == 0 for d in drivers), grid.messages(self.directory)
            self._check_and_begin_next()

    def _end_others(
        self, victim: subprocess.Popen[bytes], drivers: list[subprocess.Popen[bytes]]
    ) -> None:
        """Let the other shards end by themselves, or kill them as well."""
        for driver in drivers:
            if driver is not victim:
                if self.rng.random() < 0.5:
                    workers = processes.workers(driver.pid)
                    processes.kill([driver.pid])
                    processes.wait_for_end(workers)
                driver.wait(timeout=grid.PATIENCE_S)

    def settle(self) -> None:
        """Let the present grid end, and check it."""
        grid.complete(self.directory, self.mode)
        grid.check(self.directory, self.whole)

    def report(self) -> str:
        """What was killed, and how many grids came out right."""
        listed = ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()))
        return f"{sum(self.counts.values())} kills ({listed}); {self.n_grids} grids, all equal"

    def _check_and_begin_next(self) -> None:
        grid.check(self.directory, self.whole)
        self.n_grids += 1

    def _wait(self, moment: str, driver: subprocess.Popen[bytes]) -> None:
        """Until the moment has come, or the driver has ended."""
        part = 1.0 if moment == "anywhere" else STARTUP
        ended = lambda: driver.poll() is not None  # noqa: E731 - a word for the lines below
        _wait_for(ended, self.rng.uniform(0.0, part * self.whole_s))
        if moment in _FOLDERS:
            folder = self.directory / _FOLDERS[moment]
            _wait_for(lambda: ended() or any(folder.glob(".*.tmp")), _WRITING_S)

    def _strike(self, driver: subprocess.Popen[bytes]) -> str:
        """Kill the driver or a worker, then end the rest; empty if all has ended before."""
        if driver.poll() is not None:
            return ""
        workers = processes.workers(driver.pid)
        victim = "worker" if workers and self.rng.random() < 0.5 else "driver"
        if victim == "worker":
            processes.kill([int(self.rng.choice(workers))])
            # The driver meets its loss, and replaces it or not, before it dies as well.
            time.sleep(self.rng.uniform(0.0, 1.0))
            workers = [*workers, *processes.workers(driver.pid)]
        processes.kill([driver.pid])
        driver.wait()
        processes.wait_for_end(workers)
        return victim


def _wait_for(condition: Callable[[], bool], patience_s: float) -> None:
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline and not condition():
        time.sleep(0.0002)
