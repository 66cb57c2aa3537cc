"""Experiments as data: how choices expand, and how they are called."""

import doctest

import pytest

from mfbpi_core.contracts import experiment
from mfbpi_core.contracts.experiment import Choice, RunGrid
from mfbpi_core.errors import ConfigError


def expanded(choice):
    """Label and parameters of each choice that it stands for."""
    return [(each.label, each.parameters) for each in choice.expand()]


def test_what_is_set_is_in_the_label():
    """Two choices of different parameters are never called the same; the name alone is default."""
    assert expanded(Choice("mf_bpi", k=2)) == [("mf_bpi(k=2)", {"k": 2})]
    assert expanded(Choice("mf_bpi")) == [("mf_bpi", {})]
    labels = [label for label, _ in expanded(Choice("forked", length=(3, 5), variant="published"))]
    assert labels == ["forked(length=3,variant=published)", "forked(length=5,variant=published)"]


def test_every_combination_of_values_in_order():
    """The last parameter varies fastest; fixed ones are in every choice and every label."""
    found = expanded(Choice("mf_bpi", k=(1, 2), ensemble_size=(10, 50), forced=True))

    assert [label for label, _ in found] == [
        "mf_bpi(k=1,ensemble_size=10,forced=True)",
        "mf_bpi(k=1,ensemble_size=50,forced=True)",
        "mf_bpi(k=2,ensemble_size=10,forced=True)",
        "mf_bpi(k=2,ensemble_size=50,forced=True)",
    ]
    assert found[1][1] == {"k": 1, "ensemble_size": 50, "forced": True}


def test_one_value_in_a_tuple_is_in_the_label():
    """A sweep over one size says which."""
    assert expanded(Choice("riverswim", n_states=(5,)))[0][0] == "riverswim(n_states=5)"


def test_label_replaces_the_name():
    """It stands for what is set, with what varies still in brackets."""
    assert [label for label, _ in expanded(Choice("u_k", label="U1", k=1))] == ["U1"]
    assert expanded(Choice("u_k", label="U", k=(1, 2)))[1][0] == "U(k=2)"


def test_expansion_is_final():
    """What a choice expands to expands to itself, values that are tuples included."""
    points = list(Choice("dbmf_bpi", k=(1, 2), hidden=((50, 50), (32,))).expand())

    assert [point.label for point in points[:2]] == [
        "dbmf_bpi(k=1,hidden=(50, 50))",
        "dbmf_bpi(k=1,hidden=(32,))",
    ]
    assert points[0].parameters == {"k": 1, "hidden": [50, 50]}
    assert [list(point.expand()) for point in points] == [[point] for point in points]


def test_replicates_share_a_label():
    """Draws of one thing are told apart by their number alone."""
    choice = Choice("random_mdp", replicate="mdp_seed", n_states=(5, 10), mdp_seed=(0, 1))

    found = [(each.label, draw) for each, draw in choice.expand_replicates()]

    assert found == [
        ("random_mdp(n_states=5)", 0),
        ("random_mdp(n_states=5)", 1),
        ("random_mdp(n_states=10)", 0),
        ("random_mdp(n_states=10)", 1),
    ]


def test_without_replicates_there_is_no_number():
    """None, for whatever is not drawn."""
    assert [draw for _, draw in Choice("riverswim").expand_replicates()] == [None]


def test_no_values_are_refused():
    """An empty list would silently run nothing."""
    with pytest.raises(ConfigError, match="riverswim: n_states has no values; expected one"):
        list(Choice("riverswim", n_states=()).expand())


def test_other_seeds():
    """Given ones go before the grid's own."""
    grid = RunGrid(agents=(Choice("a"),), environments=(Choice("b"),), seeds="0:10")

    assert grid.with_seeds("3").seeds == "3"
    assert grid.with_seeds(None) is grid


def test_example_of_the_module():
    """The example in its docstring holds."""
    assert doctest.testmod(experiment).failed == 0
