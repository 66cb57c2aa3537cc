"""Checkpoints of long runs: what a killed worker goes on from, bit for bit."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import attrs

from mfbpi_core.errors import CheckpointError
from mfbpi_core.lockstep import Lockstep
from mfbpi_core.loop import Run
from mfbpi_core.types import Row
from mfbpi_run import encoding
from mfbpi_run.store import CHECKPOINT, Store


@attrs.frozen(kw_only=True)
class Checkpoints:
    """Where and how often runs are saved.

    Attributes:
        directory: the directory of the results.
        every_s: least number of seconds between two checkpoints of a run.
        resume: whether a checkpoint that is there is gone on from.
    """

    directory: Path
    every_s: float
    resume: bool

    def begin(self, task_id: str, run: Run | Lockstep, rows: list[list[Row]]) -> Saver:
        """Restore a run, and the rows of each of its tasks, if they were saved before.

        Raises:
            CheckpointError: when the file cannot be used, saying what to do.
        """
        path = Store(self.directory).path(task_id, CHECKPOINT)
        if self.resume and path.exists():
            _restore(path, run, rows)
        return Saver(path=path, every_s=self.every_s)


@attrs.define(kw_only=True)
class Saver:
    """Saves one run now and then.

    Attributes:
        path: the file.
        every_s: least number of seconds between two checkpoints.
        problem: why the run cannot be saved; empty if it can.
    """

    path: Path
    every_s: float
    problem: str = ""
    _last: float = attrs.field(factory=time.monotonic)

    def measured(self, run: Run | Lockstep, rows: list[list[Row]]) -> None:
        """Save, with the rows measured so far, if it is time."""
        if not self.problem and time.monotonic() - self._last >= self.every_s:
            self._save(run, rows)
            self._last = time.monotonic()

    def _save(self, run: Run | Lockstep, rows: list[list[Row]]) -> None:
        tree = {
            "run": run.state_dict(),
            "rows": [[list(attrs.astuple(row)) for row in own] for own in rows],
        }
        try:
            content = encoding.to_bytes(tree)
        except CheckpointError as error:
            # A third party's agent may hold anything; its run need not fail for that.
            self.problem = str(error)
            return
        Store(self.path.parent).write(self.path, content)


def _restore(path: Path, run: Run | Lockstep, rows: list[list[Row]]) -> None:
    try:
        tree: dict[str, Any] = encoding.from_bytes(path.read_bytes())
        run.load_state_dict(tree["run"])
        for own, saved in zip(rows, tree["rows"], strict=True):
            own.extend(Row(**dict(zip(_FIELDS, row, strict=True))) for row in saved)
    except Exception as error:
        raise CheckpointError(
            f"{path.name} cannot be used ({type(error).__name__}: {error}); delete it to "
            "run the task from its start"
        ) from error


_FIELDS = [field.name for field in attrs.fields(Row)]
