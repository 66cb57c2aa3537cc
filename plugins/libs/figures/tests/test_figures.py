"""Curves, scores and maps show what the table holds, and nothing is cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from mfbpi_lib_figures import style
from mfbpi_lib_figures.learning import learning_curves
from mfbpi_lib_figures.maps import heat_map, heat_maps
from mfbpi_lib_figures.runs import Quantity
from mfbpi_lib_figures.scores import final_scores

SCORE = Quantity(name="score", label="score, 1: best", low=0.0, high=1.0)


def drawn(figure: Figure) -> list[Any]:
    """The panels that are not empty."""
    return [axes for axes in figure.axes if axes.axison]


def words(figure: Figure) -> str:
    """The caption, on one line."""
    return figure.get_supxlabel().replace("\n", " ")


def test_few_agents_share_a_panel_for_each_environment(grid: Any) -> None:
    """Two agents, three environments: three panels of two curves."""
    figure = learning_curves(grid("ab", ("x", "y", "z"), 3), SCORE)

    assert [axes.get_title() for axes in drawn(figure)] == ["x", "y", "z"]
    assert drawn(figure)[0].get_legend_handles_labels()[1] == ["a", "b"]
    assert words(figure) == (
        "mean over n = 3 seeds, 95 % t-interval within the range of the quantity; thin lines: "
        "single seeds"
    )


def test_many_agents_have_a_panel_each(grid: Any) -> None:
    """Seven bands on top of each other tell nothing."""
    figure = learning_curves(grid("abcdefg", ("x",), 2), SCORE)

    assert [axes.get_title() for axes in drawn(figure)] == list("abcdefg")


def test_agents_have_panels_only_where_they_ran(table: Any) -> None:
    """Five on one environment, one on the other."""
    rows = [(a, "x", 0, t, "score", 0.5) for a in "abcde" for t in (0, 1)]
    rows += [("f", "y", 0, t, "score", 0.5) for t in (0, 1)]

    figure = learning_curves(table(rows), SCORE)

    titles = [axes.get_title() for axes in drawn(figure)]
    assert titles == [*(f"{agent}, x" for agent in "abcde"), "f, y"]


def test_a_curve_is_the_mean_over_seeds(table: Any) -> None:
    """0.2 and 0.6 at step 10: 0.4, with t(1) = 12.7 clipped to the range."""
    rows = [("a", "e", s, t, "score", v * t / 10) for s, v in ((0, 0.2), (1, 0.6)) for t in (0, 10)]

    (axes,) = drawn(learning_curves(table(rows), SCORE))

    np.testing.assert_allclose(axes.lines[0].get_ydata(), [0.0, 0.4])
    low, high = axes.get_ylim()
    assert low == pytest.approx(-0.04)
    assert high == pytest.approx(1.04)


def test_one_seed_has_no_interval_and_the_caption_says_so(grid: Any) -> None:
    """Nor thin lines."""
    figure = learning_curves(grid("a", ("x",), 1), SCORE)

    assert words(figure) == "mean over n = 1 seeds, no interval"


def test_scores_show_every_seed(table: Any) -> None:
    """Two kinds of outcome, 0 and 1, are seen beside their mean of one half."""
    rows = [("a", "e", seed, 100, "score", float(seed % 2)) for seed in range(4)]

    (axes,) = drawn(final_scores(table(rows), [SCORE]))

    ys = [line.get_ydata().tolist() for line in axes.lines]
    assert [0.0, 1.0, 0.0, 1.0] in ys
    assert [0.5] in ys


def test_the_axis_of_a_family_is_the_parameter_that_varies(grid: Any) -> None:
    """Its title says the rest."""
    labels = [f"river(n_states={n},variant=published)" for n in (5, 10)]

    (axes,) = drawn(final_scores(grid("a", labels, 2), [SCORE]))

    assert axes.get_title() == "river(variant=published)"
    assert axes.get_xlabel() == "n_states"
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["5", "10"]


@pytest.mark.parametrize("n", [1, 3, 9])
def test_the_legend_is_never_wider_than_the_figure(grid: Any, n: int) -> None:
    """Long labels take more rows."""
    agents = [f"agent_with_a_name(ensemble_size={i},variant=published)" for i in range(n)]

    figure = learning_curves(grid(agents, ("x",), 2), SCORE)

    figure.draw_without_rendering()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert box.x0 >= 0.0
    assert box.x1 <= figure.bbox.width


def test_all_panels_of_a_row_show_all_their_points(table: Any) -> None:
    """The second environment has values ten times those of the first, and 0 is not at the edge."""
    rows = [("a", env, 0, 9, "regret", value) for env, value in (("x", 1.0), ("y", 10.0))]
    rows += [("b", "x", 0, 9, "regret", 0.0)]

    figure = final_scores(table(rows), [Quantity(name="regret", low=0.0)])

    figure.draw_without_rendering()
    low, high = drawn(figure)[0].get_ylim()
    assert low < 0.0
    assert high > 10.0


def test_labels_of_panels_are_broken_where_the_panel_ends(grid: Any) -> None:
    """Nothing runs over into the panel above, or beside."""
    quantity = Quantity(name="score", label="a share of the steps with more words than fit")
    env = "forked_riverswim(length=3,variant=published,more=words)"

    figure = final_scores(grid("a", (env, "other"), 2), [quantity])

    figure.draw_without_rendering()
    first = drawn(figure)[0]
    assert first.yaxis.label.get_window_extent().height < first.bbox.height
    assert first.title.get_window_extent().width < first.bbox.width


def test_a_panel_without_values_says_so(table: Any) -> None:
    """Where a metric does not apply."""
    rows = [("a", "x", 0, 1, "m", 1.0), ("a", "y", 0, 1, "k", 1.0)]

    figure = final_scores(table(rows), [Quantity(name="m"), Quantity(name="k")])

    said = [[text.get_text() for text in axes.texts] for axes in drawn(figure)]
    assert said == [[], ["not measured"], ["not measured"], []]


def test_no_two_agents_look_alike() -> None:
    """Colour, marker and dash together are unique for 48 names; an order fixes the first."""
    many = style.marks((f"agent{i}" for i in range(48)), order=("agent7",))

    assert len(set(many.values())) == 48
    assert many["agent7"] == style.mark(0)


def test_states_run_along_x_and_actions_along_y() -> None:
    """[S, A] = [3, 2] is drawn two high, three wide; zeros stay blank."""
    figure = heat_map(np.array([[1.0, 0.0], [2.0, 3.0], [4.0, 5.0]]), "visits", "steps")

    (image,) = figure.axes[0].images
    assert image.get_array().shape == (2, 3)
    assert image.get_array().mask[1, 0]


def test_maps_of_one_figure_share_their_scale() -> None:
    """The same colour means the same number."""
    figure = heat_maps({"one": np.array([1.0, 2.0]), "other": np.array([3.0, 4.0])}, "steps")

    first, second = (axes.images[0] for axes in figure.axes[:2])
    assert first.get_clim() == second.get_clim() == (0.0, 4.0)


def test_a_map_of_nothing_is_refused() -> None:
    """Not drawn blank."""
    with pytest.raises(ValueError, match="nothing to draw"):
        heat_map(np.zeros((3, 2)), "visits", "steps")
    with pytest.raises(ValueError, match=r"expected \[S\], \[S, A\] or \[N, N\]"):
        heat_map(np.ones((2, 2, 2)), "visits", "steps")


def test_maps_tell_four_powers_of_ten_apart() -> None:
    """A share of 1e-8, which a solver leaves for zero, does not take the colours of the others."""
    figure = heat_map(np.array([0.5, 0.4, 0.1, 1e-8]), "allocation", "share")

    assert figure.axes[0].images[0].get_clim() == pytest.approx((0.5e-4, 0.5))
