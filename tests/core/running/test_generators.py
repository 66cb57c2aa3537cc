"""Generators come back exactly, or are refused; see also ``tests/test_forged_states.py``."""

import copy
import json
import math

import numpy as np
import pytest

from mfbpi_core.errors import CheckpointError
from mfbpi_core.running.generators import (
    BIT_GENERATORS,
    generator,
    generator_state,
    restore_generator,
    state_with_seeds,
)


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


@pytest.mark.parametrize(
    "seed",
    [
        *(5, [1, 2, 3], np.array([4, 5]), np.int64(7), 2**130),
        *(
            [1, [2, 3]],
            range(3),
            ["7", "0x12"],
            [True, False],
            np.random.SeedSequence(3).spawn(1)[0],
        ),
        np.random.SeedSequence(3, spawn_key=[[1, 2], "7"], pool_size=2000),
    ],
    ids=str,
)
def test_spawns_go_on_too(seed):
    """What draws from generators that it spawns as it goes would see other numbers else."""
    used = np.random.default_rng(seed)
    used.spawn(2)
    state = state_with_seeds(used, "")

    again, expected = generator(state), used.spawn(3)

    for one, other in zip(again.spawn(3), expected, strict=True):
        assert np.array_equal(one.random(4), other.random(4))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("entropy", 1.5),
        ("entropy", "7"),
        ("entropy", [1, "2"]),
        ("entropy", -1),
        ("entropy", None),
        ("spawn_key", 3),
        ("spawn_key", [1.5]),
        ("pool_size", 2**40),
        ("pool_size", 2),
        ("n_children_spawned", 2.5),
        ("n_children_spawned", 2**40),
        ("other", 1),
    ],
)
def test_seeds_that_numpy_would_read_otherwise_are_refused(name, value):
    """Or for which it would take all the memory."""
    state = state_with_seeds(np.random.default_rng(5), "")
    state["seed_seq"][name] = value
    with pytest.raises(CheckpointError, match="no generator of numpy has the saved state"):
        generator(state)


@pytest.mark.parametrize("seeds", [7, [], {}, {"entropy": 5}])
def test_what_is_no_sequence_of_seeds_is_refused(seeds):
    """It is looked at before anything is made of it."""
    state = {**state_with_seeds(np.random.default_rng(5), ""), "seed_seq": seeds}
    with pytest.raises(CheckpointError, match="no generator of numpy has the saved state"):
        generator(state)


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
    ("MT19937", "state.key", np.eye(1, 624, dtype=np.uint32)[0]),  # its lower bits are never read
    ("MT19937", "state.key", [2**31 - 1, *[0] * 623]),
    ("MT19937", "state.key", np.ones(624)),
    ("MT19937", "state.key", [1.0] * 624),
    ("MT19937", "state.key", [True] * 624),
    ("MT19937", "state.key", [-1] * 624),
    ("MT19937", "state.key", [[1]] * 624),
    ("MT19937", "state.key", np.full(624, -1)),
    ("MT19937", "bit_generator", []),
    ("MT19937", "state.pos", {}),
    ("PCG64", "bit_generator", {}),
    ("PCG64", "bit_generator", None),
    ("PCG64", "state.state", [1]),
    pytest.param("PCG64", "state.state", 10**5000, id="no text"),  # of more than 4300 digits
    ("PCG64", "has_uint32", {}),
    pytest.param("Philox", "buffer_pos", 10**5000, id="no place with a text"),
    ("Philox", "buffer", [0.5] * 4),
    ("Philox", "buffer", [1] * 5),
    ("Philox", "state.key", None),
    ("SFC64", "state.state", [1, 2, 3, "4"]),
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


NO_STATES = [None, 5, "PCG64", {}, [], {"bit_generator": "PCG64"}, {"bit_generator": []}]


@pytest.mark.parametrize("state", [*NO_STATES, {"bit_generator": [10**5000]}])
def test_no_states_at_all(state):
    """Said in one error, whatever numpy raises."""
    own = np.random.default_rng(1)
    before = own.bit_generator.state
    with pytest.raises(CheckpointError):
        restore_generator(own, state)
    assert own.bit_generator.state == before
    with pytest.raises(CheckpointError, match="no generator of numpy has the s"):
        generator(state)


def out_of_json(state):
    """A state that went through JSON, which has no arrays."""
    return json.loads(json.dumps(state, default=np.ndarray.tolist))


def test_a_state_out_of_json_goes_on(used):
    """Its arrays are lists of whole numbers there."""
    own = np.random.Generator(type(used.bit_generator)(0))
    state = out_of_json(used.bit_generator.state)
    restore_generator(own, state)
    again = generator(state)

    expected = used.random(9)
    assert np.array_equal(own.random(9), expected)
    assert np.array_equal(again.random(9), expected)


def test_a_twister_needs_one_bit():
    """The top one of the first number is enough."""
    state = np.random.Generator(np.random.MT19937(1)).bit_generator.state
    state["state"]["key"] = np.array([2**31, *[0] * 623], np.uint32)
    assert generator(state).random(2000).any()


class Dice(np.random.Generator):
    """Draws otherwise than its state tells."""

    def integers(self, *args, **kwargs):
        """Even numbers only."""
        return super().integers(*args, **kwargs) * 2


class Legacy(np.random.RandomState):
    """With a class of its own."""


class PCG64(np.random.PCG64):
    """Called as numpy's."""


OWN_CLASSES = {
    "Dice": Dice(np.random.PCG64(1)),
    "Legacy": Legacy(1),
    "PCG64": np.random.Generator(PCG64(1)),
    "PCG64 of a legacy one": np.random.RandomState(PCG64(1)),
}


@pytest.mark.parametrize("name", OWN_CLASSES)
def test_classes_of_their_own_are_refused(name):
    """They would come back as numpy's, and draw something else."""
    expected = (
        rf"a \S*test_generators\.{name.split()[0]} at \.rng; .*\(override state_dict and load"
    )
    with pytest.raises(CheckpointError, match=expected):
        generator_state(OWN_CLASSES[name], ".rng")


@pytest.mark.parametrize("own", [Dice(np.random.PCG64(1)), np.random.Generator(PCG64(1))])
def test_nothing_is_restored_into_classes_of_their_own(own):
    """What they keep beside their state would not be restored."""
    before = own.bit_generator.state
    with pytest.raises(CheckpointError, match=r"test_generators\.(Dice|PCG64)"):
        restore_generator(own, np.random.default_rng(2).bit_generator.state)
    assert own.bit_generator.state == before


def test_a_legacy_generator_of_each_kind(used):
    """A RandomState draws from any of numpy's bits."""
    legacy = np.random.RandomState(used.bit_generator)
    legacy.normal()
    state = generator_state(legacy, "")
    again, out = generator(state), generator(out_of_json(state))

    expected = legacy.normal(size=5)
    assert np.array_equal(again.normal(size=5), expected)
    assert np.array_equal(out.normal(size=5), expected)


def test_a_legacy_generator():
    """numpy's RandomState has a number of a pair kept."""
    legacy = np.random.RandomState(4)
    legacy.normal()
    state = legacy.get_state(legacy=False)
    assert np.array_equal(generator(state).normal(size=3), legacy.normal(size=3))
    for where, value in (("gauss", "x"), ("has_gauss", 1.5), ("state.key", np.zeros(624, "u4"))):
        with pytest.raises(CheckpointError):
            generator(forged(state, where, value))
