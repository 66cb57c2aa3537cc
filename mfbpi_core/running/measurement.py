"""What a metric measured, as numbers that a table can hold: converted exactly, or refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mfbpi_core.data import exact
from mfbpi_core.errors import PluginError
from mfbpi_core.plugins.specs import Column


def checked(metric: str, values: object, columns: Iterable[Column]) -> dict[str, float]:
    """The values that a metric returned, as floats.

    Args:
        metric: its name.
        values: what :meth:`mfbpi_core.Metric.measure` returned: numbers of Python or numpy, or
            arrays without axes, by column.
        columns: what its spec declares.

    Raises:
        PluginError: for anything else, an undeclared column, NaN, an infinity, or a value that
            leaves the declared range by more than rounding.
    """
    if not isinstance(values, Mapping):
        raise PluginError(
            f"metric {metric} returned {exact.shown(values)}; expected a dictionary of numbers by "
            "column"
        )
    known = {column.name: column for column in columns}
    for name in values:
        if name not in known:
            raise PluginError(
                f"metric {metric} returned {name!r}, which its spec lacks; expected columns among "
                f"{', '.join(known) or 'none'}"
            )
    return {name: _number(metric, known[name], value) for name, value in values.items()}


def _number(metric: str, column: Column, value: object) -> float:
    number = exact.real(value)
    low, high = exact.limits(column.low, column.high)
    if number is None or not low <= number <= high:
        raise PluginError(
            f"metric {metric} returned {column.name}={exact.shown(value)}; expected a finite "
            f"number from {column.low:g} to {column.high:g}, as its spec declares (leave out what "
            "does not apply)"
        )
    return number
