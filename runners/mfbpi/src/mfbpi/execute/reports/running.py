"""What a worker tells of a long run: its step and how fast it goes, in a file of the results."""

from __future__ import annotations

import contextlib
import json
import time

import attrs

from mfbpi.execute.batches import TaskBatch
from mfbpi.plan.sharding import Shard
from mfbpi.results.storage import files
from mfbpi.results.storage.directory import Store, StoreError
from mfbpi.results.storage.places import Place

#: Seconds between two reports of a run; shorter ones write none.
EVERY_S = 10.0

#: Reports a second, of all the tasks of a driver.
MOST_A_SECOND = 20.0


@attrs.frozen(kw_only=True)
class Reports:
    """Where and how often runs tell how far they are.

    Attributes:
        directory: the directory of the results.
        shard: the part of the tasks that is run.
        every_s: least number of seconds between two reports.
    """

    directory: Place
    shard: Shard | None = None
    every_s: float = EVERY_S

    @classmethod
    def of_many(cls, store: Store, at_once: int) -> Reports:
        """Those of a run, the rarer the more tasks run at the same time: 20 a second in all."""
        every_s = max(EVERY_S, at_once / MOST_A_SECOND)
        return cls(directory=store.directory, shard=store.shard, every_s=every_s).anchored()

    def of(self, work: TaskBatch, horizon: int) -> Report:
        """What tells of some work, which has just begun."""
        store = Store(self.directory, self.shard)
        return Report(store=store, work=work, horizon=horizon, every_s=self.every_s)

    def anchored(self) -> Reports:
        """The same, wherever plugins change the working directory to."""
        return attrs.evolve(self, directory=self.directory.absolute())


@attrs.define(kw_only=True)
class Report:
    """Tells of one run, which goes on whether or not that can be written.

    Attributes:
        store: the directory.
        work: what is run.
        horizon: its steps.
        every_s: least number of seconds between two reports.
    """

    store: Store
    work: TaskBatch
    horizon: int
    every_s: float
    _began: float = attrs.field(factory=time.time)
    _first: int | None = None
    _last: float = attrs.field(factory=time.monotonic)
    _written: bool = False

    def reached(self, step: int) -> None:
        """The run has come to this step."""
        self._first = step if self._first is None else self._first
        if time.monotonic() - self._last < self.every_s:
            return
        self._last = time.monotonic()
        # A full disk is met, and told of, where results are written.
        with contextlib.suppress(StoreError):
            content = json.dumps(self._content(step)).encode()
            self.store.write(self._path, content, patience_s=0.0)
            self._written = True

    @property
    def _path(self) -> Place:
        return self.store.running(self.work.task_id)

    def _content(self, step: int) -> dict[str, object]:
        now = time.time()
        passed = max(now - self._began, 1e-9)
        return {
            "label": self.work.shown,
            "step": step,
            "horizon": self.horizon,
            "steps_per_s": (step - (self._first or 0)) / passed,
            "written": now,
        }

    def ended(self) -> None:
        """Nothing more is to be told."""
        if self._written:
            with contextlib.suppress(OSError):  # the driver tidies up at the end
                files.remove(self._path)
