"""One kill after the other, each at a moment of its own, and what must be there in the end."""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from mfbpi.results.storage.directory import ARRAYS, CHECKPOINTS
from tests.chaos import processes
from tests.chaos.grid import N_TASKS, PATIENCE_S, Grid
from tests.chaos.ground import Ground

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
        ground: where the grids are put.
        rng: chooses moments and victims.
        whole: the tables of the undisturbed grid.
        whole_s: seconds that it took.
        n_grids: grids begun; one that is complete is checked, and the next begun.
        counts: kills by victim and moment.
    """

    ground: Ground
    rng: np.random.Generator
    whole: dict[str, list[Any]]
    whole_s: float
    n_grids: int = 1
    counts: Counter[str] = attrs.field(factory=Counter)

    @classmethod
    def prepared(cls, ground: Ground, seed: int) -> Chaos:
        """Run the grid once, undisturbed by kills."""
        started = time.monotonic()
        undisturbed = ground.grid("whole")
        undisturbed.complete()
        whole_s = time.monotonic() - started
        whole = undisturbed.tables()
        undisturbed.check(whole)
        return cls(ground=ground, rng=np.random.default_rng(seed), whole=whole, whole_s=whole_s)

    @property
    def grid(self) -> Grid:
        """The present one."""
        return self.ground.grid(f"grid{self.n_grids}")

    def kill(self) -> str:
        """Start or resume the grid and kill a part of it; returns which and when."""
        while True:
            if self.grid.n_done() == N_TASKS:  # there is little left that a kill could spoil
                self.settle()
                self.n_grids += 1
            moment = str(self.rng.choice(list(MOMENTS), p=list(MOMENTS.values())))
            drivers = self.grid.start()
            victim = drivers[int(self.rng.integers(len(drivers)))]
            self._wait(moment, victim)
            struck = self._strike(victim)
            self._end_others(victim, drivers, bool(struck))
            if struck:
                self.counts[f"{struck} {moment}"] += 1
                return f"{struck} {moment}"
            assert all(d.returncode == 0 for d in drivers), self.grid.messages()
            self._check_and_begin_next()

    def _end_others(
        self,
        victim: subprocess.Popen[bytes],
        drivers: list[subprocess.Popen[bytes]],
        may_kill: bool,
    ) -> None:
        """Let the other shards end by themselves, or kill them as well."""
        for driver in drivers:
            if driver is not victim:
                if may_kill and self.rng.random() < 0.5:
                    workers = processes.workers(driver.pid)
                    processes.kill([driver.pid])
                    processes.wait_for_end(workers)
                driver.wait(timeout=PATIENCE_S)

    def settle(self) -> None:
        """Let the present grid end, and check it."""
        self.grid.complete()
        self.grid.check(self.whole)

    def report(self) -> str:
        """What was killed, and how many grids came out right."""
        listed = ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()))
        return (
            f"{sum(self.counts.values())} kills ({listed}); {self.n_grids} grids, all equal"
            + self.ground.check()
        )

    def _check_and_begin_next(self) -> None:
        self.grid.check(self.whole)
        self.n_grids += 1

    def _wait(self, moment: str, driver: subprocess.Popen[bytes]) -> None:
        """Until the moment has come, or the driver has ended."""
        part = 1.0 if moment == "anywhere" else STARTUP
        ended = lambda: driver.poll() is not None  # noqa: E731 - a word for the lines below
        _wait_for(ended, self.rng.uniform(0.0, part * self.whole_s))
        folder = self.grid.folder(_FOLDERS[moment]) if moment in _FOLDERS else None
        if folder is not None:
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
