"""Colours, markers, and texts that fit."""

from __future__ import annotations

from mfbpi_lib_figures import style
from mfbpi_lib_figures.style import broken, mark, marks, side

ORDER = ("first", "second", "third")


def test_known_names_look_the_same_in_every_figure() -> None:
    """Whoever else is in it, in whatever order; and in the given order."""
    few, all_of_them = marks(["third", "first"], ORDER), marks(reversed(ORDER), ORDER)

    assert list(few) == ["first", "third"]
    assert list(all_of_them) == list(ORDER)
    assert few["third"] == all_of_them["third"] == mark(2)


def test_other_names_take_what_is_free() -> None:
    """Each its own, after the known ones, with sizes in order."""
    found = marks(["x(n=10)", "first", "third", "x(n=5)"], ORDER)

    assert list(found) == ["first", "third", "x(n=5)", "x(n=10)"]
    assert found["x(n=5)"] == mark(1)
    assert len({each.color for each in found.values()}) == 4


def test_a_variant_alone_of_its_family_has_the_look_of_the_family() -> None:
    """Two of one family are told apart."""
    alone = marks(["second(width=3)", "third"], ORDER)
    several = marks(["first(n=1)", "first(n=50)", "third"], ORDER)

    assert list(alone.values()) == list(marks(["second", "third"], ORDER).values())
    assert len({each.color for each in several.values()}) == 3
    assert several["third"] == mark(2)


def test_lines_end_after_spaces_and_commas() -> None:
    """A word is never cut."""
    assert broken("river(n_states=5,variant=published)", 20) == (
        "river(n_states=5,\nvariant=published)"
    )
    assert broken("three short words", 40) == "three short words"


def test_formulas_are_not_broken() -> None:
    """Half a formula is none."""
    formula = "$" + "x + " * 30 + "1$"

    assert side(formula) == formula


def test_names_are_texts_of_some_length() -> None:
    """A legend of whatever names leaves room for the panel, and takes no dollar for a formula."""
    names = ["x" * 300, "cost $5 and $x_{"]
    figure, grid = style.panels(1, 1)
    for name in names:
        grid[0, 0].plot([0, 1], [0, 1], label=name)
    style.legend(figure, names)
    style.heading(grid[0, 0], "pays $1 and $y_{")
    figure.canvas.draw()

    (placed,) = figure.legends
    assert [text.get_text() for text in placed.get_texts()] == ["x" * 59 + "\u2026", names[1]]
    assert grid[0, 0].get_window_extent().width > 0.4 * figure.bbox.width
