"""Whether what was read from a checkpoint can be what a run had come to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import attrs
import numpy as np

from mfbpi_core.data.row import Row
from mfbpi_core.errors import CheckpointError
from mfbpi_core.running.loop import Run
from mfbpi_core.running.stopping import CERTIFIED_GAP, STOPPING_TIME

_FIELDS = [field.name for field in attrs.fields(Row)]

#: Told at the checks of a stopping rule, which have a schedule of their own.
_AT_CHECKS = (CERTIFIED_GAP, STOPPING_TIME)

#: What the value of a metric may be.
_NUMBERS = (int, float, np.integer, np.floating)


def rows_from(saved: Any) -> list[Row]:
    """The rows that a checkpoint lists; raises :class:`CheckpointError` for anything else."""
    if not isinstance(saved, list):
        raise CheckpointError("its rows are no list")
    return [_row(each) for each in saved]


def _row(saved: Any) -> Row:
    if not isinstance(saved, list) or len(saved) != len(_FIELDS):
        raise CheckpointError(f"it holds {saved!r:.80} for a row")
    row = Row(**dict(zip(_FIELDS, saved, strict=True)))
    counts = all(type(count) is int and count >= 0 for count in (row.step, row.episode))
    numbers = all(is_finite(number) for number in (row.value, row.elapsed_s))
    if not (counts and numbers and isinstance(row.metric, str) and row.elapsed_s >= 0.0):
        raise CheckpointError(f"it holds {saved!r:.80} for a row")
    return row


def is_finite(value: object) -> bool:
    """Whether it is a finite number, of Python or numpy; truth values are none."""
    return isinstance(value, _NUMBERS) and type(value) is not bool and math.isfinite(value)


def check_run(run: Run, rows: Sequence[Row]) -> None:
    """Check a restored run, and the rows that it had measured, against its settings.

    Raises:
        CheckpointError: naming what does not fit.
    """
    step = run.interaction.step
    if type(step) is not int or not 0 <= step <= run.horizon:
        raise CheckpointError(f"its step is {step!r}; expected 0 to {run.horizon}")
    known = {column.name for columns in run.columns.values() for column in columns}
    unknown = sorted({row.metric for row in rows} - known)
    if unknown:
        raise CheckpointError(f"it has rows of {', '.join(unknown)}, which is not measured")
    if len({(row.step, row.metric) for row in rows}) < len(rows):
        raise CheckpointError("it has two rows of one metric at one step")
    _check_steps([row.step for row in rows if row.metric not in _AT_CHECKS], step, run)


def _check_steps(steps: Sequence[int], reached: int, run: Run) -> None:
    """Rows are measured in order, every so many steps, and once more where the run ends."""
    last = max(steps, default=0)
    if last > reached or any(after < before for before, after in pairwise(steps)):
        raise CheckpointError(f"the steps of its rows do not lead to step {reached}")
    between = {step for step in steps if step % run.eval_every}
    if between - ({last} if run.ended else set()):
        raise CheckpointError(f"it has rows between the evaluations, at step {min(between)}")
