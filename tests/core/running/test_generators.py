"""Generators come back exactly, or are refused; see also ``tests/test_forged_states.py``."""

import copy
import math

import numpy as np
import pytest

from mfbpi_core.errors import CheckpointError
from mfbpi_core.running.generators import BIT_GENERATORS, generator, restore_generator


@pytest.fixture(params=sorted(BIT_GENERATORS))
def used(request):
    """One of each kind, in the middle of its numbers."""
    made = np.random.Generator(BIT_GENERATORS[request.param](3))
    made.integers(7, size=5, dtype=np.int32)
    return made


def forged(state, where, value):
    """A state with another value at a place."""
    state = copy.deepcopy(state)
    *path, last = where.split(".")
    part = state
    for key in path:
        part = part[key]
    part[last] = value
    return state


def test_goes_on_bit_for_bit(used):
    """Into a new one, and into one that exists, which stays the same object."""
    state = used.bit_generator.state
    own = np.random.Generator(type(used.bit_generator)(0))
    bits = own.bit_generator
    restore_generator(own, state)
    again = generator(state)

    expected = used.random(9)
    assert own.bit_generator is bits
    assert np.array_equal(own.random(9), expected)
    assert np.array_equal(again.random(9), expected)


WRONG = [
    ("PCG64", "state.inc", 0),  # the same number for ever
    ("PCG64", "state.inc", 2),
    ("PCG64DXSM", "state.inc", 4),
    ("PCG64", "state.inc", 3.0),
    ("PCG64", "state.state", 1e30),  # cut off
    ("PCG64", "state.state", -1),
    ("PCG64", "state.state", "1"),
    ("PCG64", "state.other", 1),
    ("PCG64", "has_uint32", -1),
    ("PCG64", "has_uint32", True),
    ("PCG64", "has_uint32", 2),
    ("PCG64", "uinteger", 2**32),
    ("PCG64", "uinteger", 1.5),
    ("PCG64", "uinteger", math.nan),
    ("PCG64", "other", 1),
    ("PCG64", "state", None),
    ("PCG64", "bit_generator", "MT19937"),
    ("MT19937", "state.key", np.zeros(624, np.uint32)),
    ("MT19937", "state.key", np.ones(624)),
    ("MT19937", "state.key", np.ones(5, np.uint32)),
    ("MT19937", "state.pos", 625),
    ("Philox", "buffer_pos", 5),
    ("Philox", "buffer", np.ones(4)),
    ("SFC64", "state.state", np.ones(4)),
]


@pytest.mark.parametrize(("kind", "where", "value"), WRONG)
def test_what_numpy_does_not_write_is_refused(kind, where, value):
    """And the generator stands where it stood."""
    own = np.random.Generator(BIT_GENERATORS[kind](1))
    before = own.bit_generator.state
    wrong = forged(np.random.Generator(BIT_GENERATORS[kind](2)).bit_generator.state, where, value)

    with pytest.raises(CheckpointError, match=rf"{kind}|no generator of numpy|at place"):
        restore_generator(own, wrong)
    with pytest.raises(CheckpointError):
        generator(wrong)

    np.testing.assert_equal(own.bit_generator.state, before)


@pytest.mark.parametrize("state", [None, 5, "PCG64", {}, [], {"bit_generator": "PCG64"}])
def test_no_states_at_all(state):
    """Said in one error, whatever numpy raises."""
    own = np.random.default_rng(1)
    before = own.bit_generator.state
    with pytest.raises(CheckpointError):
        restore_generator(own, state)
    assert own.bit_generator.state == before


def test_a_legacy_generator():
    """numpy's RandomState has a number of a pair kept."""
    legacy = np.random.RandomState(4)
    legacy.normal()
    state = legacy.get_state(legacy=False)
    assert np.array_equal(generator(state).normal(size=3), legacy.normal(size=3))
    for where, value in (("gauss", "x"), ("has_gauss", 1.5), ("state.key", np.zeros(624, "u4"))):
        with pytest.raises(CheckpointError):
            generator(forged(state, where, value))
