"""Colours and markers."""

from __future__ import annotations

from mfbpi_experiment_paper.style import AGENTS, agent_marks, mark


def test_known_agents_look_the_same_in_every_figure() -> None:
    """Whoever else is in it, in whatever order; and in the order of the paper."""
    few, all_of_them = agent_marks(["psrl", "mf_bpi"]), agent_marks(reversed(AGENTS))

    assert list(few) == ["mf_bpi", "psrl"]
    assert list(all_of_them) == list(AGENTS)
    assert few["psrl"] == all_of_them["psrl"]


def test_other_agents_take_what_is_free() -> None:
    """Each its own, after the known ones."""
    marks = agent_marks(["x(n=10)", "mf_bpi", "x(n=5)", "o_bpi"])

    assert list(marks) == ["mf_bpi", "o_bpi", "x(n=5)", "x(n=10)"]
    assert marks["x(n=5)"] == mark(2)
    assert len({(m.color, m.marker) for m in marks.values()}) == 4


def test_first_marks_are_distinct() -> None:
    """As many colours as the palette has, and as many markers."""
    assert len({mark(i).color for i in range(10)}) == 10
    assert len({(mark(i).color, mark(i).marker) for i in range(len(AGENTS))}) == len(AGENTS)


def test_known_agents_with_parameters_keep_their_look() -> None:
    """Alone of its family it looks like the family; two of one family are told apart."""
    alone = agent_marks(["bsp(prior_initialiser=wide_fan_uniform)", "ids"])
    several = agent_marks(["mf_bpi(ensemble_size=1)", "mf_bpi(ensemble_size=50)", "psrl"])

    assert list(alone) == ["bsp(prior_initialiser=wide_fan_uniform)", "ids"]
    assert list(alone.values()) == list(agent_marks(["bsp", "ids"]).values())
    assert len({mark.color for mark in several.values()}) == 3
    assert several["psrl"] == agent_marks(["psrl"])["psrl"]
