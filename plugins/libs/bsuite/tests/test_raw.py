"""What the library relies on in the real bsuite package: streams, state, wrappers."""

import pickle
from typing import Any

import numpy as np
import pytest
from bsuite.environments.catch import Catch
from bsuite.environments.deep_sea import DeepSea
from bsuite.environments.mountain_car import MountainCar
from bsuite.experiments.cartpole_swingup.cartpole_swingup import CartpoleSwingup
from bsuite.utils.wrappers import RewardNoise, RewardScale

from mfbpi_core.errors import CheckpointError
from mfbpi_lib_bsuite.raw import layers, load_state, reseed, state_of

BUILDERS = {
    "catch": lambda seed: Catch(seed=seed),
    "stochastic deep sea": lambda seed: DeepSea(4, False, seed=seed, mapping_seed=1),
    "mountain car": lambda seed: MountainCar(seed=seed),
    "swingup": lambda seed: CartpoleSwingup(seed=seed),
    "noisy catch": lambda seed: RewardNoise(Catch(seed=seed), 1.0, seed=seed),
    "scaled noisy catch": lambda seed: RewardScale(
        RewardNoise(Catch(seed=seed), 1.0, seed=seed), 3.0, seed=seed
    ),
}
UNWRAPPED = [name for name in BUILDERS if "noisy" not in name]


def _shown(raw: Any, n_steps: int = 60) -> list[Any]:
    """Observations and rewards of a fixed sequence of actions, bsuite resetting by itself."""
    steps = [raw.step(t % 2) for t in range(n_steps)]
    return [(s.observation.tolist(), s.reward, s.discount) for s in steps]


@pytest.mark.parametrize("name", UNWRAPPED)
def test_reseeding_equals_building_with_the_seed(name: str):
    """After reseed(7), bsuite's environment shows what the one built with seed=7 shows."""
    built, reseeded = BUILDERS[name](7), BUILDERS[name](0)
    _shown(reseeded, 5)
    reseed(reseeded, 7)
    built.reset(), reseeded.reset()

    assert _shown(built) == _shown(reseeded)


def test_wrapper_has_a_stream_of_its_own():
    """Noise does not repeat the numbers that the wrapped environment draws."""
    raw = BUILDERS["noisy catch"](0)
    reseed(raw, 3)
    inner, outer = layers(raw)

    assert type(inner).__name__ == "Catch"
    assert inner._rng.random_sample() != outer._rng.random_sample()


@pytest.mark.parametrize("name", BUILDERS)
def test_state_round_trip_is_exact(name: str):
    """Loaded into another instance, a pickled state goes on bit for bit."""
    raw, other = BUILDERS[name](0), BUILDERS[name](99)
    raw.reset()
    _shown(raw, 13)
    state = pickle.loads(pickle.dumps(state_of(raw)))
    expected = _shown(raw)
    load_state(other, state)

    assert _shown(other) == expected
    load_state(other, state)
    assert _shown(other) == expected, "loading used the state up"


def test_state_of_another_environment_is_refused():
    """The message names both kinds of environment."""
    with pytest.raises(CheckpointError, match=r"saved from .* Catch; this one is MountainCar"):
        load_state(MountainCar(), state_of(Catch()))


def test_streams_stand_within_their_numbers():
    """numpy reads on from wherever it is told to, outside of what it owns."""
    state = state_of(Catch())
    state[0]["values"]["_rng"]["state"]["pos"] = 10**6
    with pytest.raises(CheckpointError, match="is at place 1000000; expected 0 to 624"):
        load_state(Catch(), state)


def test_state_is_plain_data():
    """A saved state names no class of bsuite, so that a checkpoint can be read without it."""
    raw = BUILDERS["swingup"](0)
    raw.reset()

    assert b"bsuite.environments" not in pickle.dumps(state_of(raw))


def test_data_sets_are_not_saved():
    """Images never change: a checkpoint does not carry them."""
    catch = Catch()
    catch._images = np.zeros((1000, 28, 28))

    assert "_images" not in state_of(catch)[0]["values"]
