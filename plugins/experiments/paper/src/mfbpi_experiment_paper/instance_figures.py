"""Figures of the instances: pure functions from a table of a study to a matplotlib figure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.figure import Figure

#: What tells one instance from another.
_INSTANCE = ("env", "replicate", "discount", "constraint")


def bounds(table: pa.Table) -> Figure:
    """Each bound at its own optimum, one panel for each discount, over the instances."""
    own = table.filter(pc.equal(table["quantity"], table["at"]))
    discounts = sorted(set(own["discount"].to_pylist()))
    figure = Figure(figsize=(5.0 * len(discounts), 4.5), layout="constrained")
    panels = figure.subplots(1, len(discounts), sharey=True, squeeze=False)[0]
    for axes, discount in zip(panels, discounts, strict=True):
        chosen = own.filter(pc.equal(own["discount"], discount))
        names = list(dict.fromkeys(chosen["env"].to_pylist()))
        for quantity in dict.fromkeys(chosen["quantity"].to_pylist()):
            values = _means(chosen.filter(pc.equal(chosen["quantity"], quantity)), "env")
            axes.plot(
                range(len(names)), [values.get(n, np.nan) for n in names], "o", label=quantity
            )
        axes.set_xticks(range(len(names)), names, rotation=90)
        axes.set(yscale="log", title=f"discount {discount:g}")
    panels[0].set_ylabel("value at its own optimal allocation")
    panels[0].legend()
    return figure


def moments(table: pa.Table) -> Figure:
    """The largest normalised moment against its order, one panel for each discount."""
    discounts = sorted(set(table["discount"].to_pylist()))
    figure = Figure(figsize=(5.0 * len(discounts), 4.0), layout="constrained")
    panels = figure.subplots(1, len(discounts), squeeze=False)[0]
    for axes, discount in zip(panels, discounts, strict=True):
        chosen = table.filter(pc.equal(table["discount"], discount))
        for name in dict.fromkeys(chosen["env"].to_pylist()):
            values = _means(chosen.filter(pc.equal(chosen["env"], name)), "k")
            axes.plot(list(values), list(values.values()), label=name)
        axes.set(xlabel="k", yscale="log", title=f"discount {discount:g}")
    panels[0].set_ylabel(r"largest $(M^k)^{2^{-k}}$")
    panels[-1].legend(fontsize="x-small")
    return figure


def order_of_bounds(table: pa.Table) -> str:
    """On how many instances U0 is below U, each at its own optimal allocation, and how far."""
    own = table.filter(
        pc.and_(pc.equal(table["quantity"], table["at"]), pc.is_valid(table["value"]))
    )
    values: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in own.select([*_INSTANCE, "quantity", "value"]).to_pylist():
        values.setdefault(tuple(row[name] for name in _INSTANCE), {})[row["quantity"]] = row[
            "value"
        ]
    ratios = [each["U"] / each["U0"] for each in values.values() if {"U", "U0"} <= each.keys()]
    below = sum(ratio > 1.0 for ratio in ratios)
    return (
        f"U0 is below U on {below} of {len(ratios)} instances; U / U0 is between "
        f"{min(ratios):.3g} and {max(ratios):.3g}."
    )


def _means(table: pa.Table, key: str) -> dict[Any, float]:
    """Mean value over replicates for each value of a column; infinite values are left out."""
    finite = table.filter(pc.is_valid(table["value"]))
    grouped = finite.group_by(key, use_threads=False).aggregate([("value", "mean")])
    return dict(zip(grouped[key].to_pylist(), grouped["value_mean"].to_pylist(), strict=True))
