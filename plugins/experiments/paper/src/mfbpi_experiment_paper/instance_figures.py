"""Figures of the instances: pure functions from a table of a study to a matplotlib figure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter

from mfbpi_lib_figures import style
from mfbpi_lib_figures.labels import families, ticks, title
from mfbpi_lib_statistics.bootstrap import median_interval
from mfbpi_lib_statistics.intervals import LEVEL, t_interval

#: Values by series, discount and environment, one for each draw of the instance.
Values: TypeAlias = dict[tuple[str, float, str], list[float]]


def bounds(table: pa.Table) -> Figure:
    """Each bound at its own optimal allocation; a row for each discount, a column a family."""
    values: Values = {}
    for (discount, env, quantity, at), draws in _by_bound(table).items():
        if quantity == at:
            values[quantity, discount, env] = list(draws.values())
    return _points(values, "value at its own optimal allocation")


def elsewhere(table: pa.Table) -> Figure:
    """Each bound at the others' optimal allocations, relative to its own optimum."""
    found = _by_bound(table)
    values: Values = {}
    for (discount, env, quantity, at), draws in found.items():
        own = found.get((discount, env, quantity, quantity), {})
        ratios = [value / own[draw] for draw, value in draws.items() if draw in own]
        if quantity != at and ratios:
            values[f"{quantity} at the optimum of {at}", discount, env] = ratios
    return _points(values, "value / least value", share=True)


def moments(table: pa.Table) -> Figure:
    """The largest normalised moment against its order; a row a discount, a column a family."""
    values: dict[tuple[float, str], dict[int, list[float]]] = {}
    for row in table.filter(pc.is_valid(table["value"])).to_pylist():
        curve = values.setdefault((row["discount"], row["env"]), {})
        curve.setdefault(row["k"], []).append(row["value"])
    figure, panels, groups = _panels(values, r"largest $(M^k)^{2^{-k}}$")
    for (discount, name), axes in panels.items():
        parameter, texts = ticks(groups[name])
        for index, (env, text) in enumerate(zip(groups[name], texts, strict=True)):
            if (discount, env) in values:
                _curve(axes, values[discount, env], index, text)
        axes.set(xlabel="k", ylim=(0.0, None))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.legend(title=parameter, fontsize="small", loc="best")
    draws = (len(each) for curve in values.values() for each in curve.values())
    style.caption(figure, f"mean over draws, {_counted(draws, f'{100 * LEVEL:g} % t-interval')}")
    return figure


def order_of_bounds(table: pa.Table) -> str:
    """On how many instances U0 is below U, each at its own optimal allocation, and how far."""
    found = _by_bound(table)
    ratios = [
        value / found[discount, env, "U0", "U0"][draw]
        for (discount, env, quantity, at), draws in found.items()
        for draw, value in draws.items()
        if quantity == at == "U" and draw in found.get((discount, env, "U0", "U0"), {})
    ]
    if not ratios:
        return "On no instance are both U0 and U finite."
    below = sum(ratio > 1.0 for ratio in ratios)
    return (
        f"U0 is below U on {below} of {len(ratios)} instances; U / U0 is between "
        f"{min(ratios):.3g} and {max(ratios):.3g}."
    )


def _by_bound(table: pa.Table) -> dict[tuple[float, str, str, str], dict[tuple[int, int], float]]:
    """Finite values by discount, environment, bound and ``at``; in it by draw and constraint."""
    found: dict[tuple[float, str, str, str], dict[tuple[int, int], float]] = {}
    for row in table.filter(pc.is_valid(table["value"])).to_pylist():
        key = (row["discount"], row["env"], row["quantity"], row["at"])
        found.setdefault(key, {})[row["replicate"], row["constraint"]] = row["value"]
    return found


def _points(values: Values, label: str, *, share: bool = False) -> Figure:
    """A point with its interval over draws for each series and instance, on a log scale."""
    names = list(dict.fromkeys(series for series, _, _ in values))
    keys = {(discount, env) for _, discount, env in values}
    figure, panels, groups = _panels(keys, label, share=share)
    for (discount, name), axes in panels.items():
        parameter, texts = ticks(groups[name])
        for index, series in enumerate(names):
            shift = (index - (len(names) - 1) / 2) * 0.6 / len(names)
            medians = [
                (position + shift, median_interval(values[series, discount, env]))
                for position, env in enumerate(groups[name])
                if (series, discount, env) in values
            ]
            found = [(x, i.median, i.low, i.high) for x, i in medians]
            style.points(axes, found, style.mark(index), series)
        axes.set_xticks(range(len(texts)), texts)
        axes.set(xlabel=parameter, yscale="log", xlim=(-0.5, len(texts) - 0.5))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.grid(axis="y", alpha=0.3)
    style.legend(figure, names)
    interval = f"{100 * LEVEL:g} % bootstrap interval"
    style.caption(figure, f"median over draws, {_counted(map(len, values.values()), interval)}")
    return figure


def _panels(
    keys: Iterable[tuple[float, str]], label: str, *, share: bool = False
) -> tuple[Figure, dict[tuple[float, str], Axes], dict[str, list[str]]]:
    """A panel for each discount (rows) and family (columns), and the environments by family."""
    known = set(keys)
    if not known:
        raise ValueError("there is no finite value in the results")
    discounts, groups = sorted({d for d, _ in known}), families(env for _, env in known)
    figure, grid = style.panels(len(discounts), len(groups), share=share)
    panels = {}
    for discount, row in zip(discounts, grid, strict=True):
        for name, axes in zip(groups, row, strict=True):
            style.heading(axes, f"{title(groups[name])}, discount {discount:g}")
            panels[discount, name] = axes
    figure.supylabel(label)
    return figure, panels, groups


def _curve(axes: Axes, curve: dict[int, list[float]], index: int, label: str) -> None:
    orders = sorted(curve)
    found = [t_interval(curve[k], bounds=(0.0, math.inf)) for k in orders]
    # Dashes show lines which lie on one another.
    color, dash = style.mark(index).color, style.DASHES[index % len(style.DASHES)]
    means = [interval.mean for interval in found]
    axes.plot(orders, means, label=label, color=color, linestyle=dash)
    style.band(axes, orders, [(interval.low, interval.high) for interval in found], color)


def _counted(counts: Iterable[int], interval: str) -> str:
    """How many draws there are, and whether they have an interval."""
    numbers = sorted(set(counts))
    if numbers == [1]:
        return "n = 1: no interval"
    single = "; n = 1 has none" if numbers[0] == 1 else ""
    return f"n = {', '.join(map(str, numbers))}; {interval}{single}"
