"""Figures of runs, read back from what was drawn."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.figure import Figure

from mfbpi_experiment_paper import run_figures
from mfbpi_experiment_paper.run_figures import AGENTS
from mfbpi_lib_figures import style
from mfbpi_lib_figures.learning import POINTS

Runs = Callable[..., pa.Table]

BOTH = [run_figures.scores, run_figures.curves]


def png(figure: Figure) -> bytes:
    """The figure as a file; drawing it warns where something does not fit."""
    content = io.BytesIO()
    figure.savefig(content, format="png")
    return content.getvalue()


def panels(figure: Figure) -> dict[str, Any]:
    """The axes by title."""
    return {axes.get_title(): axes for axes in figure.axes if axes.axison}


def caption(figure: Figure) -> str:
    """The line below the panels."""
    return figure.get_supxlabel().replace("\n", " ")


@pytest.mark.parametrize("draw", BOTH)
def test_caption_names_statistic_level_and_n(draw: Callable[..., Figure], runs: Runs) -> None:
    """And how many agents there are, in the legend."""
    figure = draw(runs())

    said = "mean over n = 3 seeds, 95 % t-interval within the range of the quantity; "
    assert caption(figure).startswith(said)
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["mf_bpi", "psrl", "somebody"]
    assert png(figure).startswith(b"\x89PNG")


@pytest.mark.parametrize("draw", BOTH)
def test_single_seed_has_no_interval(draw: Callable[..., Figure], runs: Runs) -> None:
    """The caption says so, and nothing is drawn for it."""
    figure = draw(runs((0.5,)))

    assert caption(figure) == "mean over n = 1 seeds, no interval"
    assert png(figure).startswith(b"\x89PNG")
    assert not any(axes.collections and _height(axes) > 0 for axes in figure.axes)


def _height(axes: Any) -> float:
    """Largest height of a band or an interval; 0 where there is none."""
    points = [path.vertices for c in axes.collections for path in c.get_paths()]
    heights = [np.ptp(p[np.isfinite(p).all(axis=1), 1]) for p in points if len(p)]
    return max(heights, default=0.0)


@pytest.mark.parametrize("draw", BOTH)
def test_bands_stay_in_the_range(draw: Callable[..., Figure], runs: Runs) -> None:
    """Scores of 0.2, 1 and 0.9: the interval would reach -0.4 and 1.8; it ends at 0 and 1."""
    figure = draw(runs())

    ends = [
        path.vertices[:, 1]
        for axes in figure.axes
        for collection in axes.collections
        for path in collection.get_paths()
    ]
    assert min(end.min() for end in ends) == 0.0
    assert max(end.max() for end in ends) == 1.0


def test_scores_are_the_last_ones_by_size(runs: Runs) -> None:
    """A panel for each family, its sizes in order, each agent's final mean."""
    shown = panels(run_figures.scores(runs()))

    assert list(shown) == ["ring", "riverswim"]
    axes = shown["riverswim"]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["5", "10"]
    assert axes.get_xlabel() == "n_states"
    means = [line.get_ydata().tolist() for line in axes.lines if line.get_marker() != "."]
    assert means == [[pytest.approx(0.7)] * 2] * 3


def test_curves_are_in_order_and_thinned(runs: Runs) -> None:
    """A panel for each environment, of no more points than can be told apart."""
    figure = run_figures.curves(runs())
    shown = panels(figure)

    assert list(shown) == ["ring", "riverswim(n_states=5)", "riverswim(n_states=10)"]
    steps = shown["ring"].lines[0].get_xdata()
    assert len(steps) <= POINTS
    assert (steps[0], steps[-1]) == (0, 40_000)


@pytest.mark.parametrize("draw", BOTH)
def test_colours_are_shared(draw: Callable[..., Figure], runs: Runs) -> None:
    """The same agent has the same colour in both figures and in every panel."""
    shown = ("mf_bpi", "psrl", "somebody")
    expected = [mark.color for mark in style.marks(shown, AGENTS).values()]

    for axes in panels(draw(runs())).values():
        assert [handle.get_color() for handle in axes.get_legend_handles_labels()[0]] == expected


@pytest.mark.parametrize("draw", BOTH)
def test_agents_need_not_be_everywhere(draw: Callable[..., Figure], runs: Runs) -> None:
    """A grid may have holes; the legend has everyone."""
    table = runs()
    keep = [
        not (agent == "mf_bpi" and env == "ring")
        for agent, env in zip(table["agent"].to_pylist(), table["env"].to_pylist(), strict=True)
    ]

    figure = draw(table.filter(pa.array(keep)))
    ring = panels(figure)["ring"]
    assert ring.get_legend_handles_labels()[1] == ["psrl", "somebody"]
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["mf_bpi", "psrl", "somebody"]


@pytest.mark.parametrize("draw", BOTH)
def test_results_without_the_score_are_refused(draw: Callable[..., Figure], runs: Runs) -> None:
    """The message says what is missing."""
    with pytest.raises(ValueError, match="there is no 'value_ratio' in these results"):
        draw(runs(metric="visit_entropy"))
