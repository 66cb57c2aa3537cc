"""Figures and finding of studies, read back from what was drawn."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from matplotlib.figure import Figure

from mfbpi_experiment_paper import instance_figures

Study = Callable[..., pa.Table]

DRAWS = (1e6, 3e6, 2e6, 9e9, 4e6)


@pytest.fixture
def table(study: Study) -> pa.Table:
    """U0 and U on one river, at each other's optimum, and on five draws; one is infinite."""
    return study(
        ("U0", "U0", "riverswim(n_states=5)", None, 1e6),
        ("U0", "U", "riverswim(n_states=5)", None, 5e6),
        ("U", "U", "riverswim(n_states=5)", None, 1e7),
        ("U", "U0", "riverswim(n_states=5)", None, 2e7),
        *[("U0", "U0", "random_mdp(n_states=5)", draw, u0) for draw, u0 in enumerate(DRAWS)],
        ("U", "U", "random_mdp(n_states=5)", 0, None),
        ("U", "U", "random_mdp(n_states=5)", 1, 9e6),
    )


def panels(figure: Figure) -> dict[str, Any]:
    """The axes by title; the figure can be written."""
    figure.savefig(io.BytesIO(), format="png")
    return {axes.get_title(): axes for axes in figure.axes}


def points(axes: Any) -> dict[str, list[float]]:
    """Values drawn by series."""
    return {line.get_label(): list(line.get_ydata()) for line in axes.lines}


def texts(figure: Figure) -> list[str]:
    """Everything written beside the panels."""
    return [text.get_text() for text in figure.texts]


def test_bounds_show_the_median_of_their_own_optimum(table: pa.Table) -> None:
    """Over five draws with a heavy tail: the median, with its bootstrap interval."""
    figure = instance_figures.bounds(table)
    shown = panels(figure)

    assert list(shown) == [
        f"{name}(n_states=5), discount 0.95" for name in ("random_mdp", "riverswim")
    ]
    assert points(shown["riverswim(n_states=5), discount 0.95"]) == {"U0": [1e6], "U": [1e7]}
    assert points(shown["random_mdp(n_states=5), discount 0.95"]) == {"U0": [3e6], "U": [9e6]}
    (interval,) = shown["random_mdp(n_states=5), discount 0.95"].collections
    assert tuple(interval.get_paths()[0].vertices[:, 1]) == (1e6, 9e9)
    assert len(shown["riverswim(n_states=5), discount 0.95"].collections) == 0
    caption = "median over draws, n = 1, 5; 95 % bootstrap interval; n = 1 has none"
    assert caption in texts(figure)


def test_elsewhere_shows_how_much_is_lost(table: pa.Table) -> None:
    """U0 at the optimum of U is 5 times its least value, U at that of U0 twice."""
    figure = instance_figures.elsewhere(table)
    (axes,) = panels(figure).values()

    assert points(axes) == {"U0 at the optimum of U": [5.0], "U at the optimum of U0": [2.0]}
    assert "median over draws, n = 1: no interval" in texts(figure)


def test_moments_grow_with_their_order() -> None:
    """A line for each size, with a band where there are draws; the mean of 1 and 3 is 2."""
    rows = [
        {"env": env, "discount": 0.95, "k": k, "value": float(k * value), "replicate": draw}
        for env, draws in (("a(n=5)", (1,)), ("a(n=10)", (2,)), ("b(n=5)", (1, 3)))
        for draw, value in enumerate(draws)
        for k in (1, 2)
    ]
    figure = instance_figures.moments(pa.Table.from_pylist(rows))
    shown = panels(figure)

    assert points(shown["a, discount 0.95"]) == {"5": [1.0, 2.0], "10": [2.0, 4.0]}
    assert points(shown["b(n=5), discount 0.95"]) == {"5": [2.0, 4.0]}
    (band,) = shown["b(n=5), discount 0.95"].collections
    assert band.get_paths()[0].vertices[:, 1].min() == 0.0
    assert "mean over draws, n = 1, 2; 95 % t-interval; n = 1 has none" in texts(figure)


def test_finding_counts_instances(table: pa.Table) -> None:
    """U / U0 is 10 on the river and 3 on the draw where both are finite."""
    finding = instance_figures.order_of_bounds(table)

    assert finding == "U0 is below U on 2 of 2 instances; U / U0 is between 3 and 10."


def test_finding_where_the_order_is_the_other(study: Study) -> None:
    """It is counted, not taken for granted."""
    table = study(("U0", "U0", "x", None, 4.0), ("U", "U", "x", None, 2.0))

    assert instance_figures.order_of_bounds(table).startswith("U0 is below U on 0 of 1 instances")


def test_nothing_finite(study: Study) -> None:
    """Ties everywhere: the finding says so, and figures say what is missing."""
    table = study(("U0", "U0", "x", None, None), ("U", "U", "x", None, None))

    assert instance_figures.order_of_bounds(table) == "On no instance are both U0 and U finite."
    with pytest.raises(ValueError, match="there is no finite value"):
        instance_figures.bounds(table)
