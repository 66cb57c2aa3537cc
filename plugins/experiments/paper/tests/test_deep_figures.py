"""Figures of the deep comparisons, read back from what was drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from matplotlib.figure import Figure

from mfbpi_experiment_paper import run_figures

SCORES = [
    (run_figures.deepsea, ("successes", "t_visit_std")),
    (run_figures.cartpole, ("upright_time", "visit_entropy")),
]
CURVES = [
    (run_figures.deepsea_curves, "successes"),
    (run_figures.cartpole_curves, "upright_time"),
]


def results(metrics: tuple[str, ...], seeds: tuple[int, ...] = (0, 1)) -> pa.Table:
    """Runs of two agents on two sizes, with 0.9 at step 0, and at the end (size + seed) / 100."""
    rows: list[dict[str, Any]] = [
        {"agent": agent, "env": f"slipping_deep_sea(size={size})", "seed": seed, "step": step}
        | {"metric": metric, "value": (size + seed) / 100 if step else 0.9}
        for agent in ("ids", "dbmf_bpi")
        for size in (10, 5)
        for seed in seeds
        for step in (200, 0)
        for metric in metrics
    ]
    return pa.Table.from_pylist(rows)


@pytest.mark.parametrize(("draw", "metrics"), SCORES)
def test_final_means_by_size(draw: Callable[..., Figure], metrics: tuple[str, str]) -> None:
    """A panel for each metric; sizes in order; the mean of the last values, each seed beside it."""
    figure = draw(results(metrics))

    for axes in figure.axes:
        assert [text.get_text() for text in axes.get_xticklabels()] == ["5", "10"]
        assert axes.get_xlabel() == "size"
        handles, labels = axes.get_legend_handles_labels()
        assert labels == ["dbmf_bpi", "ids"]
        for line in handles:
            assert line.get_ydata() == pytest.approx([0.055, 0.105])
        seeds = [y for line in axes.lines if line.get_marker() == "." for y in line.get_ydata()]
        assert sorted(seeds) == pytest.approx([0.05, 0.05, 0.06, 0.06, 0.1, 0.1, 0.11, 0.11])


@pytest.mark.parametrize(("draw", "metrics"), SCORES)
def test_axes_have_words(draw: Callable[..., Figure], metrics: tuple[str, str]) -> None:
    """Not the names of columns."""
    labels = [axes.get_ylabel() for axes in draw(results(metrics)).axes]

    assert all(label.startswith("final ") and "_" not in label for label in labels)


@pytest.mark.parametrize(("draw", "metrics"), SCORES)
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
    assert figure.get_supxlabel().startswith("mean over n = 2 seeds, 95 % t-interval")


@pytest.mark.parametrize(("draw", "metrics"), SCORES)
def test_one_seed_has_no_interval(draw: Callable[..., Figure], metrics: tuple[str, str]) -> None:
    """A point alone."""
    figure = draw(results(metrics, seeds=(0,)))

    assert not any(len(axes.collections) for axes in figure.axes)


@pytest.mark.parametrize(("draw", "metric"), CURVES)
def test_deep_agents_have_curves(draw: Callable[..., Figure], metric: str) -> None:
    """A panel for each size, from step 0 to the end."""
    figure = draw(results((metric,)))

    assert [axes.get_title() for axes in figure.axes] == [
        f"slipping_deep_sea(size={size})" for size in (5, 10)
    ]
    assert figure.axes[0].lines[0].get_ydata() == pytest.approx([0.9, 0.055])
