"""A log as columns: state, action, reward, next state, terminated, and maybe the episode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from mfbpi_core.data.arrays import Array
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.errors import UsageError

#: Columns, each with the names under which it is known.
NAMES = {
    "s": ("s", "state", "observation"),
    "a": ("a", "action"),
    "r": ("r", "reward"),
    "s'": ("s'", "s2", "next_state", "next_observation"),
    "terminated": ("terminated",),
}
EPISODE = "episode"

#: Whole numbers up to here are exact in float64.
_LARGEST = 2**53


@attrs.frozen(kw_only=True, eq=False)
class Log:
    """A log.

    Attributes:
        steps: its transitions, in order; where the walk goes on elsewhere, it was truncated.
        resets: how often that happens with no episode, or no end, to say so.
    """

    steps: Transitions
    resets: int


def read(source: Any) -> Log:
    """The log of a Parquet or CSV file, or of a table.

    Args:
        source: a path, a ``pyarrow.Table``, or what ``pyarrow.table`` takes, such as a mapping of
            columns or a data frame.

    Raises:
        UsageError: when it cannot be read, or a column is missing or of another type.
    """
    table = _table(source)
    if not table.num_rows:
        raise UsageError("the log has no rows; expected one for each step")
    s, s2, a = (_integers(table, key) for key in ("s", "s'", "a"))
    rewards = _numbers(table, "r")
    terminated = _flags(table, "terminated")
    jumps = np.append(s2[:-1] != s[1:], False)
    changes = np.zeros(len(s), dtype=np.bool_)
    if EPISODE in table.column_names:
        episode = np.asarray(table[EPISODE].to_pylist())
        changes[:-1] = episode[1:] != episode[:-1]
    truncated = ~terminated & (jumps | changes)
    hidden = int((jumps & ~changes & ~terminated).sum())
    steps = Transitions(
        start=0,
        observations=s,
        actions=a,
        rewards=rewards,
        next_observations=s2,
        terminated=terminated,
        truncated=truncated,
    )
    return Log(steps=steps, resets=hidden)


def _table(source: Any) -> pa.Table:
    if isinstance(source, pa.Table):
        return source
    if not isinstance(source, str | Path):
        try:
            return pa.table(source)
        except (TypeError, ValueError, pa.ArrowInvalid) as error:
            raise UsageError(f"the log is a {type(source).__name__}; {error}") from error
    path = Path(source)
    if path.is_file() and not path.stat().st_size:
        raise UsageError(f"{path} is empty; expected the columns and one row for each step")
    ending = path.suffix.lower()
    reader = pyarrow.csv.read_csv if ending == ".csv" else pyarrow.parquet.read_table
    try:
        return reader(path)
    except (OSError, pa.ArrowInvalid) as error:
        if ending not in (".csv", ".parquet") and path.is_file():
            raise UsageError(
                f"{path} cannot be read as a log: its name ends in {ending!r}; expected .csv for "
                "CSV, not compressed, or a file that is Parquet, whatever its name, and this is "
                "none: unpack or rename it"
            ) from error
        raise UsageError(f"{path} cannot be read as a log: {error}") from error


def _column(table: pa.Table, key: str) -> Array:
    names = [name for name in table.column_names if name in NAMES[key]]
    if len(names) != 1:  # of two, either may be meant
        doubt = key == "terminated" and "done" in table.column_names
        done = "; 'done' is not enough, as an episode cut short is done too" if doubt else ""
        raise UsageError(
            f"the log has the columns {', '.join(table.column_names)}; expected one called "
            f"{' or '.join(NAMES[key])}{done}"
        )
    column = table[names[0]]
    if column.null_count:
        raise UsageError(f"column {names[0]!r} of the log has {column.null_count} empty places")
    return np.asarray(column.to_numpy())


def _numbers(table: pa.Table, key: str) -> npt.NDArray[np.float64]:
    values = _column(table, key)
    if values.dtype.kind not in "biuf" or not np.isfinite(values.astype(np.float64)).all():
        raise UsageError(f"column {NAMES[key][0]!r} of the log does not hold finite numbers")
    return values.astype(np.float64)


def _integers(table: pa.Table, key: str) -> npt.NDArray[np.int64]:
    values = _numbers(table, key)
    if not ((values == np.floor(values)) & (np.abs(values) <= _LARGEST)).all():
        raise UsageError(f"column {NAMES[key][0]!r} of the log does not hold whole numbers")
    return values.astype(np.int64)


def _flags(table: pa.Table, key: str) -> npt.NDArray[np.bool_]:
    values = _numbers(table, key)
    if not ((values == 0.0) | (values == 1.0)).all():
        raise UsageError(f"column {NAMES[key][0]!r} of the log holds more than true and false")
    return values == 1.0
