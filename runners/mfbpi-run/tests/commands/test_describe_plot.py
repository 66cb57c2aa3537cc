"""``mfbpi describe --plot``: V*, the best actions and the gaps, where the states are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("options", "wide"),
    [
        (("--env", "riverswim", "-E", "n_states=20"), True),
        (("--env", "two_rooms"), False),
        (("--env", "six_arms", "--discount", 0.95), True),
    ],
)
def test_the_shape_is_that_of_the_instance(
    options: tuple[object, ...], wide: bool, mfbpi: Run
) -> None:
    """A chain is long; the two maps of two rooms are above each other, of a graph side by side."""
    ended = mfbpi("describe", *options, "--plot", "p.png", "--json")

    assert ended.code == 0
    assert ended.json["n_states"] > 0
    assert "plot: p.png" in ended.err
    with Image.open("p.png") as picture:
        assert (picture.width > 1.2 * picture.height) == wide


def test_other_formats(mfbpi: Run) -> None:
    """By the ending; the same file each time."""
    for name in ("a.svg", "b.svg"):
        assert mfbpi("describe", "--env", "grid_world", "--plot", name).code == 0
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (("--env", "grid_world", "--plot", "p.gif"), "ends in .png, .svg, .pdf"),
        (("--env", "garnet", "-E", "n_states=250", "--plot", "p.png"), "a graph of 250 states"),
        (("--env", "grid_world", "--plot", "nowhere/p.png"), "cannot write the plot"),
    ],
)
def test_what_cannot_be_drawn_is_said(
    arguments: tuple[object, ...], cause: str, mfbpi: Run
) -> None:
    """In one sentence."""
    ended = mfbpi("describe", *arguments)
    assert ended.code == 2
    assert cause in ended.err
