"""What the base class of environments does for them."""

from mfbpi_core import Environment
from mfbpi_core.testing.worlds.instances import ModelEnvironment, two_state_chain


def chain():
    """The kit's chain."""
    return ModelEnvironment(two_state_chain(), 10)


def test_provides_what_it_has():
    """What metrics and agents may need follows from what an environment offers."""

    class Bare(Environment):
        n_actions = 2
        features = frozenset({"upright"})

        def reset(self, *, seed=None, options=None):
            return 0, {}

        def step(self, action):
            return 0, 0.0, False, False, {}

    assert chain().provides == {"states", "cells", "model"}
    assert Bare().provides == {"arrays", "upright"}


def test_saved_environment_goes_on_bit_for_bit():
    """An environment's state is a copy that another instance goes on from."""
    one, two = chain(), chain()
    one.reset(seed=1)
    one.step(0)
    state = one.state_dict()
    expected = [one.step(t % 2)[:4] for t in range(50) if one.elapsed < 10 or one.reset()]

    two.load_state_dict(state)

    assert [two.step(t % 2)[:4] for t in range(50) if two.elapsed < 10 or two.reset()] == expected
