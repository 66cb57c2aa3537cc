"""Exact comparison: what is equal, and where it says that two things differ."""

# ruff: noqa: D102 - methods are explained by their class

import math
import re
from collections import deque
from typing import NamedTuple

import attrs
import numpy as np
import pytest

from mfbpi_core.testing.tools.comparison import difference


class Arrays(NamedTuple):
    """As the compiled agents keep them."""

    q: np.ndarray
    n: int


@attrs.frozen(eq=False)
class Slotted:
    """Compared by what it holds, though its equality is by identity."""

    values: np.ndarray


class Plain:
    """An object with attributes."""

    def __init__(self, values):
        self.values = values


class Tensor:
    """Does what a torch tensor does."""

    def __init__(self, values):
        self.values = np.array(values)

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.values


def state(last=4.0, draws=0):
    """A state with everything in it."""
    rng = np.random.default_rng(1)
    rng.random(draws)
    return {
        "arrays": Arrays(np.array([[1.0, math.nan], [3.0, last]]), 2),
        "rng": rng,
        "mixed": [Plain(deque([1, 2])), Slotted(np.arange(3)), Tensor([last]), {"a", "b"}],
    }


def test_equal_states():
    """Two states built alike do not differ, NaN included."""
    assert difference(state(), state()) is None


def test_first_difference_is_located():
    """The path leads to the entry."""
    assert difference(state(), state(last=5.0)) == "arrays[0][1, 1] is 4.0 and 5.0"


def test_generators_are_compared_by_their_state():
    """One draw more is a difference."""
    assert difference(state(), state(draws=1)).startswith("rng.state.state is ")


@pytest.mark.parametrize(
    ("left", "right", "says"),
    [
        (1, 1.0, "it is int and float"),
        (np.zeros(2), np.zeros(3), r"it is float64 of shape \(2,\) and float64 of shape \(3,\)"),
        (np.zeros(1), np.zeros(1, dtype=int), "float64 .* and int64"),
        ([1, 2], [1], "length of it is 2 and 1"),
        ({"a": 1}, {"b": 1}, r"keys of it is \['a'\] and \['b'\]"),
        ({"a": [0, 1]}, {"a": [0, 2]}, r"a\[1\] is 1 and 2"),
        (Plain(1), Plain(2), "values is 1 and 2"),
        (Slotted(np.array([1])), Slotted(np.array([2])), r"values\[0\] is 1 and 2"),
        (Tensor([1.0]), Tensor([2.0]), r"^\[0\] is 1.0 and 2.0"),
        (np.random.RandomState(0), np.random.RandomState(1), "is"),
        (np.array([None, 1]), np.array([None, 2]), r"\[1\] is 1 and 2"),
    ],
)
def test_differences(left, right, says):
    """Type, dtype, shape, length, keys and values all count."""
    found = difference(left, right)

    assert found is not None
    assert re.search(says, found), found


def test_cycles_end():
    """An object that contains itself is compared once."""
    one, two = Plain(1), Plain(1)
    one.me, two.me = one, two

    assert difference(one, two) is None
