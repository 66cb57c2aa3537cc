"""Labels are put in order, grouped, and reduced to what differs."""

from __future__ import annotations

from mfbpi_lib_figures.labels import families, ticks, title


def test_families_are_in_the_order_of_their_numbers() -> None:
    """5 comes before 10."""
    labels = ["riverswim(n_states=10)", "garnet", "riverswim(n_states=5)"]

    assert families(labels) == {
        "garnet": ["garnet"],
        "riverswim": ["riverswim(n_states=5)", "riverswim(n_states=10)"],
    }


def test_settings_that_all_share_are_in_the_title_and_not_at_the_ticks() -> None:
    """``variant`` is the same everywhere; ``length`` is what the axis is about."""
    labels = [f"forked(length={n},variant=published)" for n in (3, 5)]

    assert ticks(labels) == ("length", ["3", "5"])
    assert title(labels) == "forked(variant=published)"


def test_labels_that_differ_in_several_settings_show_all_of_them() -> None:
    """Then there is no single parameter."""
    labels = ["garnet(a=1,b=1)", "garnet(a=2,b=2)"]

    assert ticks(labels) == ("instance", ["a=1,b=1", "a=2,b=2"])


def test_a_single_label_is_the_title() -> None:
    """And nothing is left for the tick."""
    assert title(["riverswim(n_states=5)"]) == "riverswim(n_states=5)"
