"""Order and meaning of labels."""

from __future__ import annotations

import pytest

from mfbpi_experiment_paper.labels import families, natural, ticks


def test_numbers_sort_by_size() -> None:
    """5 before 10, although "1" comes before "5"."""
    labels = ["riverswim(n_states=10)", "riverswim(n_states=5)", "forked(length=3)"]

    assert sorted(labels, key=natural) == [labels[2], labels[1], labels[0]]


def test_families_are_grouped() -> None:
    """By what comes before the brackets; repeated labels count once."""
    labels = ["b(n=10)", "a(n=3)", "b(n=5)", "a(n=3)", "c"]

    assert families(labels) == {"a": ["a(n=3)"], "b": ["b(n=5)", "b(n=10)"], "c": ["c"]}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["b(n=5)", "b(n=10)"], ("n", ["5", "10"])),
        (["b(n=5,slip=0.1)", "b(n=5,slip=0.2)"], ("instance", ["n=5,slip=0.1", "n=5,slip=0.2"])),
        (["b(n=5)", "b(slip=0.2)"], ("instance", ["n=5", "slip=0.2"])),
        (["b"], ("instance", [""])),
    ],
)
def test_ticks_show_what_varies(labels: list[str], expected: tuple[str, list[str]]) -> None:
    """One parameter is the name of the axis; several stay beside their values."""
    assert ticks(labels) == expected
