"""Checkpoints of long runs: what a killed worker goes on from, bit for bit."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import attrs

from mfbpi_core.errors import CheckpointError
from mfbpi_core.loop import Run
from mfbpi_core.task import Task
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

    def begin(self, task: Task, run: Run) -> Saver:
        """Restore the run if it was saved before.

        Raises:
            CheckpointError: when the file cannot be used, saying what to do.
        """
        saver = Saver(
            path=Store(self.directory).path(task.task_id, CHECKPOINT), every_s=self.every_s
        )
        if self.resume and saver.path.exists():
            saver.restore(run)
        return saver


@attrs.define(kw_only=True)
class Saver:
    """Saves one run now and then.

    Attributes:
        path: the file.
        every_s: least number of seconds between two checkpoints.
        rows: the rows measured so far, by this process or before it.
        problem: why the run cannot be saved; empty if it can.
    """

    path: Path
    every_s: float
    rows: list[Row] = attrs.field(factory=list)
    problem: str = ""
    _last: float = attrs.field(factory=time.monotonic)

    def measured(self, run: Run, rows: list[Row]) -> None:
        """Take in the rows of an evaluation, and save if it is time."""
        self.rows.extend(rows)
        if not self.problem and time.monotonic() - self._last >= self.every_s:
            self._save(run)
            self._last = time.monotonic()

    def _save(self, run: Run) -> None:
        tree = {"run": run.state_dict(), "rows": [list(attrs.astuple(row)) for row in self.rows]}
        try:
            content = encoding.to_bytes(tree)
        except CheckpointError as error:
            # A third party's agent may hold anything; its run need not fail for that.
            self.problem = str(error)
            return
        Store(self.path.parent).write(self.path, content)

    def restore(self, run: Run) -> None:
        """Go on where the file was written; see :meth:`Checkpoints.begin`."""
        try:
            tree: dict[str, Any] = encoding.from_bytes(self.path.read_bytes())
            run.load_state_dict(tree["run"])
            self.rows = [Row(**dict(zip(_FIELDS, row, strict=True))) for row in tree["rows"]]
        except Exception as error:
            raise CheckpointError(
                f"{self.path.name} cannot be used ({type(error).__name__}: {error}); delete it to "
                "run the task from its start"
            ) from error


_FIELDS = [field.name for field in attrs.fields(Row)]
