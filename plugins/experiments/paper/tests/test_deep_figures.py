"""Figures of the deep comparisons, read back from what was drawn."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from matplotlib.figure import Figure

from mfbpi_experiment_paper import deep_figures

DRAWINGS: list[tuple[Callable[..., Figure], tuple[str, str]]] = [
    (deep_figures.deepsea, ("successes", "t_visit_std")),
    (deep_figures.cartpole, ("upright_time", "visit_entropy")),
]


def results(metrics: tuple[str, str], seeds: tuple[int, ...] = (0, 1)) -> pa.Table:
    """Two agents on two sizes; the last value is the size plus the seed, over 100."""
    rows = [
        {"agent": agent, "env": f"x(size={size})", "seed": seed, "step": step, "metric": metric}
        | {"value": (size + seed) / 100 if step else 0.9}
        for agent in ("ids", "dbmf_bpi")
        for size in (10, 5)
        for seed in seeds
        for step in (200, 0)
        for metric in metrics
    ]
    return pa.Table.from_pylist(rows)


@pytest.mark.parametrize(("draw", "metrics"), DRAWINGS)
def test_final_means_by_size(draw: Callable[..., Figure], metrics: tuple[str, str]) -> None:
    """A panel for each metric; sizes in order; the value at the last step, over seeds."""
    figure = draw(results(metrics))
    figure.savefig(io.BytesIO(), format="png")

    assert [axes.get_ylabel() for axes in figure.axes] == [f"final {name}" for name in metrics]
    for axes in figure.axes:
        assert [text.get_text() for text in axes.get_xticklabels()] == ["5", "10"]
        assert axes.get_xlabel() == "size"
        assert [line.get_label() for line in axes.lines] == ["dbmf_bpi", "ids"]
        for line in axes.lines:
            assert line.get_ydata() == pytest.approx([0.055, 0.105])


@pytest.mark.parametrize(("draw", "metrics"), DRAWINGS)
def test_intervals_stay_in_the_range(draw: Callable[..., Figure], metrics: tuple[str, str]) -> None:
    """Two seeds at 0.05 and 0.06: t(1) reaches below zero, where no metric is."""
    figure = draw(results(metrics))

    ends: list[Any] = [
        path.vertices[:, 1].min()
        for axes in figure.axes
        for collection in axes.collections
        for path in collection.get_paths()
    ]
    assert min(ends) == 0.0
    (caption,) = [t.get_text() for t in figure.texts if "seeds" in t.get_text()]
    assert "95 % t-interval" in caption


@pytest.mark.parametrize(("draw", "metrics"), DRAWINGS)
def test_one_seed_has_no_interval(draw: Callable[..., Figure], metrics: tuple[str, str]) -> None:
    """A point alone."""
    figure = draw(results(metrics, seeds=(0,)))

    assert not any(len(axes.collections) for axes in figure.axes)
