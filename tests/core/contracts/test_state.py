"""What a checkpoint may hold: it comes back equal and apart, or is refused with its place."""

from collections import deque

import numpy as np
import pytest

from mfbpi_core.errors import CheckpointError
from mfbpi_core.running.generators import generator
from mfbpi_core.running.state import copied, restored
from mfbpi_core.testing.tools.comparison import difference


def test_plain_data_comes_back_equal_and_apart():
    """Dictionaries, tuples, numbers, arrays and generators; nothing is shared."""
    tree = {
        "a": [1, 2.5, None, True, "x", (1, 2)],
        3: np.arange(3),
        "scalar": np.float32(0.5),
        "rng": np.random.default_rng(0),
        "legacy": np.random.RandomState(1),
    }

    back = restored(tree)

    assert difference(tree, back) is None
    back[3][0] = 7
    back["rng"].random()
    assert tree[3].tolist() == [0, 1, 2]
    assert difference(tree["rng"], np.random.default_rng(0)) is None


class Converts:
    """An array of another library."""

    def __array__(self, dtype=None, copy=None):
        return np.ones(2)


def test_arrays_of_other_libraries_become_numpy_s():
    """As tensors do."""
    assert restored([Converts()])[0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("value", [deque([1]), object(), {1, 2}, np.array([None]), len, 1j])
def test_all_else_is_refused_with_its_place(value):
    """Complex numbers of Python too, which JSON lacks."""
    with pytest.raises(CheckpointError, match=rf"a {type(value).__qualname__} at \.parts\[1\]; ex"):
        restored({"parts": [0, value]})


class Dice(np.random.Generator):
    """A generator of a class of its own."""


@pytest.mark.parametrize("made", [restored, copied])
def test_generators_of_other_classes_are_refused_with_their_place(made):
    """Even by what only copies: numpy's copy of one is a plain one."""
    tree = {"parts": [0, (Dice(np.random.PCG64(1)),)]}
    with pytest.raises(CheckpointError, match=r"\.Dice at Mine\.parts\[1\]\[0\]; expected a class"):
        made(tree, "Mine")


def test_a_copy_may_hold_more_than_a_checkpoint():
    """And shares nothing."""
    tree = {"rng": np.random.default_rng(0), "set": {1}, "numbers": np.arange(3)}
    back = copied(tree, "Mine")
    assert difference(tree, back) is None
    back["numbers"][0] = 7
    back["rng"].random()
    assert tree["numbers"].tolist() == [0, 1, 2]
    assert difference(tree["rng"], np.random.default_rng(0)) is None


def test_a_copy_of_what_holds_itself_ends():
    """A list in itself, as graphs have them."""
    tree = {"parts": [1]}
    tree["parts"].append(tree)
    back = copied(tree, "Mine")
    assert back["parts"][1] is back


@pytest.mark.parametrize("state", [{}, {"bit_generator": "seed"}, "PCG64", None])
def test_generators_are_numpy_s_by_name(state):
    """Nothing else is made from a state."""
    with pytest.raises(CheckpointError, match="no generator of numpy has the state"):
        generator(state)
