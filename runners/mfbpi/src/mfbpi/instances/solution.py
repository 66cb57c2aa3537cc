"""The optimal values, gaps and policies of an instance, as arrays and as a table of its pairs."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from mfbpi.instances.instance import Instance
from mfbpi.results import frames
from mfbpi.results.storage import endings
from mfbpi.results.summary_text import Shown

#: Pairs that are shown; the table has all of them.
_SHOWN = 40

_HEADINGS = ("state", "action", "V*", "Q*", "gap", "optimal")

_EPS = float(np.finfo(np.float64).eps)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Solution(Shown):
    """What is best in each state, at one discount, and by how much the rest falls short.

    Terminal states have values of 0, and no action there is worse than another.

    The bounds of the errors are rigorous, and meant of the model that the stored numbers are: every
    reward and probability as its float64, but that a row of probabilities which rounding leaves off
    1 sums to 1 by its likeliest next state. A tie is one in the numbers that those stand for; where
    it is a gap in the stored ones, `gap_error` is as large as that.

    Attributes:
        discount: gamma.
        values: float64 [S], V*.
        q_values: float64 [S, A], Q*.
        gaps: float64 [S, A], V*(s) - Q*(s, a), 0 or more; exactly 0 for ties.
        policy: int64 [S], an optimal action in each state.
        optimal: bool [S, A], every pair whose gap is 0, or not known to be above it.
        value_error: bound of the error of each of the values.
        gap_error: bound of the error of each gap.
        q_error: bound of the error of each entry of Q*.
        state_names: what states are called; None for their numbers.
        action_names: the same for actions.
    """

    discount: float
    values: npt.NDArray[np.float64]
    q_values: npt.NDArray[np.float64]
    gaps: npt.NDArray[np.float64]
    policy: npt.NDArray[np.int64]
    optimal: npt.NDArray[np.bool_]
    value_error: float
    gap_error: float
    q_error: float
    state_names: tuple[str, ...] | None = None
    action_names: tuple[str, ...] | None = None

    @property
    def table(self) -> pa.Table:
        """A row for each pair: its numbers, its names if it has such, and its quantities."""
        n_states, n_actions = self.gaps.shape
        states = np.repeat(np.arange(n_states), n_actions)
        actions = np.tile(np.arange(n_actions), n_states)
        named = {
            "state_name": _called(self.state_names, states),
            "action_name": _called(self.action_names, actions),
        }
        return pa.table(
            {
                "state": states,
                "action": actions,
                **{key: names for key, names in named.items() if names is not None},
                "value": self.values[states],
                "q_value": self.q_values.ravel(),
                "gap": self.gaps.ravel(),
                "optimal": self.optimal.ravel(),
            }
        )

    def to_pandas(self) -> Any:
        """The table as a data frame of pandas."""
        return frames.frame(self.table)

    def write(self, path: str | Path) -> None:
        """Write the table as .csv or .parquet, by the ending of the name.

        Raises:
            UsageError: for another ending, or where it cannot be written.
        """
        endings.write(path, self.table, _FORMATS)

    @property
    def shown(self) -> tuple[tuple[str, ...], list[tuple[object, ...]], list[str]]:
        """The first pairs, and how many there are."""
        n_states, n_actions = self.gaps.shape
        pairs = [divmod(number, n_actions) for number in range(min(_SHOWN, self.gaps.size))]
        rows = [self._row(s, a) for s, a in pairs]
        more = self.gaps.size - len(rows)
        below = [f"and {more} pairs more: see .table, .values, .q_values"] if more else []
        about = f"{n_states} states, {n_actions} actions, discount {self.discount:g}"
        return _HEADINGS, rows, [*below, f"{about}; values within {self.value_error:.1g}"]

    def _row(self, s: int, a: int) -> tuple[object, ...]:
        numbers = (self.values[s], self.q_values[s, a], self.gaps[s, a])
        return (
            s if self.state_names is None else self.state_names[s],
            a if self.action_names is None else self.action_names[a],
            *(f"{number:.6g}" for number in numbers),
            "yes" if self.optimal[s, a] else "",
        )

    def __repr__(self) -> str:
        return str(self)


def solve(found: Instance) -> Solution:
    """Solve an instance; raises :class:`ConfigError` where its discount is not in (0, 1)."""
    from mfbpi_lib_tabular.solution import gaps, planning

    separation = gaps.separate(found.mdp, planning.solve(found.mdp, found.discount), found.discount)
    values, delta = separation.values, separation.gaps
    q_values = values[:, None] - delta
    value_error = _sum(separation.value_error, float(np.abs(separation.rest).max()))
    gap_error = _sum(separation.gap_error, separation.tie_error, _EPS * float(delta.max()))
    return Solution(
        discount=found.discount,
        values=values,
        q_values=q_values,
        gaps=delta,
        policy=separation.policy,
        optimal=separation.optimal,
        value_error=value_error,
        gap_error=gap_error,
        q_error=_sum(value_error, gap_error, _EPS * float(np.abs(q_values).max())),
        state_names=found.state_names,
        action_names=found.action_names,
    )


def _sum(*errors: float) -> float:
    """No less than the sum of a few errors."""
    return sum(errors) * (1.0 + 4.0 * _EPS)


def _called(names: Sequence[str] | None, numbers: npt.NDArray[np.int64]) -> pa.Array | None:
    return None if names is None else pa.array(names, pa.string()).take(pa.array(numbers))


def _bytes(write: Callable[[pa.Table, io.BytesIO], object]) -> Callable[[pa.Table], bytes]:
    """What a writer of Arrow's writes."""

    def written(table: pa.Table) -> bytes:
        content = io.BytesIO()
        write(table, content)
        return content.getvalue()

    return written


_FORMATS = {".csv": _bytes(pyarrow.csv.write_csv), ".parquet": _bytes(pq.write_table)}
