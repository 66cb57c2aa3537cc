"""The adapter: every experiment of bsuite, seeds, ids, messages."""

import pickle
from typing import Any
from urllib.error import URLError

import bsuite
import numpy as np
import pytest
from bsuite import sweep
from bsuite.utils import datasets

from mfbpi_core.contracts.parameters import parse
from mfbpi_core.errors import ConfigError, PluginError, UsageError
from mfbpi_env_bsuite.environment import Bsuite, Config
from mfbpi_env_bsuite.episodes import longest_episode

EXPERIMENTS = tuple(f"{name}/0" for name in dict.fromkeys(i.partition("/")[0] for i in sweep.SWEEP))
#: Experiments whose observations or rewards are random.
RANDOM = ("catch/0", "bandit_noise/0", "deep_sea_stochastic/0", "umbrella_distract/0", "cartpole/0")


@pytest.fixture(autouse=True)
def _small_mnist(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty random images in place of the data set, which would be downloaded."""
    rng = np.random.default_rng(0)
    images = rng.integers(256, size=(20, 28, 28), dtype=np.uint8)
    labels = rng.integers(10, size=20, dtype=np.int8)
    monkeypatch.setattr(datasets, "load_mnist", lambda: ((images, labels), (images, labels)))


def _make(bsuite_id: str) -> Bsuite:
    return Bsuite(Config(bsuite_id=bsuite_id))


def _walk(environment: Bsuite, seed: int | None, n_steps: int = 60) -> list[Any]:
    """What alternating actions show."""
    shown: list[Any] = [environment.reset(seed=seed)[0].tolist()]
    for t in range(n_steps):
        observation, reward, terminated, truncated, _ = environment.step(t % 2)
        shown.append((observation.tolist(), reward, terminated, truncated))
        if terminated or truncated:
            shown.append(environment.reset()[0].tolist())
    return shown


@pytest.mark.parametrize("bsuite_id", EXPERIMENTS)
def test_every_experiment_runs(bsuite_id: str):
    """Declared shapes and types, an end within the declared longest episode, no surprises."""
    environment = _make(bsuite_id)
    observation = environment.reset(seed=0)[0]
    rng = np.random.default_rng(0)
    for _ in range(environment.max_episode_steps):
        observation, reward, terminated, truncated, _ = environment.step(
            int(rng.integers(environment.n_actions))
        )
        assert observation.shape == environment.observation_shape
        assert (observation.dtype, type(reward)) == (np.float32, float)
        if terminated or truncated:
            break

    assert terminated
    assert not truncated


@pytest.mark.parametrize("bsuite_id", EXPERIMENTS)
def test_equal_seeds_equal_walks(bsuite_id: str):
    """In two instances, and again in a used one."""
    one, two = _make(bsuite_id), _make(bsuite_id)

    assert _walk(one, 3) == _walk(two, 3) == _walk(one, 3)


@pytest.mark.parametrize("bsuite_id", RANDOM)
def test_seed_has_an_effect(bsuite_id: str):
    """bsuite takes a seed only when it is built; here reset(seed) reseeds what it built."""
    environment = _make(bsuite_id)

    assert _walk(environment, 3) != _walk(environment, 4)


@pytest.mark.parametrize("name", ["cartpole_swingup", "catch", "mountain_car"])
def test_seed_is_bsuites_own(name: str):
    """reset(seed=8) shows what bsuite's environment built with seed=8 shows."""
    raw = bsuite.load(name, {**sweep.SETTINGS[f"{name}/0"], "seed": 8})
    expected = [raw.reset(), *(raw.step(t % 2) for t in range(60))]
    environment = _make(f"{name}/0")
    shown = [item for item in _walk(environment, 8) if isinstance(item, tuple)]
    rewards = [step.reward for step in expected if not step.first()]

    assert [item[1] for item in shown][: len(rewards)] == rewards
    assert shown[0][0] == expected[1].observation.tolist()


@pytest.mark.parametrize("bsuite_id", EXPERIMENTS)
def test_state_round_trip_is_exact(bsuite_id: str):
    """A pickled state, loaded into another instance, goes on bit for bit."""
    environment, other = _make(bsuite_id), _make(bsuite_id)
    _walk(environment, 2, 7)
    state = pickle.loads(pickle.dumps(environment.state_dict()))
    expected = _walk(environment, None)
    other.load_state_dict(state)

    assert _walk(other, None) == expected


@pytest.mark.parametrize(
    ("bsuite_id", "longest"),
    [
        ("bandit/3", 1),
        ("catch/0", 9),
        ("deep_sea/20", 50),
        ("discounting_chain/0", 100),
        ("memory_len/22", 101),
        ("memory_size/16", 3),
        ("umbrella_length/22", 100),
        ("umbrella_distract/3", 20),
        ("mountain_car_scale/2", 1000),
        ("cartpole_noise/1", 1001),
        ("cartpole_swingup/19", 1001),
    ],
)
def test_longest_episode(bsuite_id: str, longest: int):
    """As bsuite's code has it, wrapped or not."""
    assert _make(bsuite_id).max_episode_steps == longest


def test_unknown_class_has_no_longest_episode():
    """A problem of a future bsuite is refused with advice, not given a wrong limit."""
    with pytest.raises(PluginError, match="how long episodes of bsuite's object can be"):
        longest_episode(type("object", (), {})())


def test_protocol_is_bsuites():
    """bsuite's own number of episodes, in about a hundred evaluations."""
    protocol = _make("deep_sea/0").protocol

    assert (protocol.episodes, protocol.horizon, protocol.eval_every) == (10_000, None, 1_000)


@pytest.mark.parametrize(
    ("bsuite_id", "message"),
    [
        ("deep_see/0", "did you mean deep_sea"),
        ("deep_sea/99", "deep_sea has the numbers 0 to 20"),
        ("deep_sea", "deep_sea has the numbers 0 to 20"),
        ("xyz/0", "experiments are: bandit, "),
        ("", "expected EXPERIMENT/NUMBER"),
    ],
)
def test_unknown_id_is_explained(bsuite_id: str, message: str):
    """What was given, what there is."""
    with pytest.raises(ConfigError, match=message) as caught:
        _make(bsuite_id)

    assert repr(bsuite_id) in str(caught.value)


def test_missing_data_set_is_explained(monkeypatch: pytest.MonkeyPatch):
    """Without a network, mnist says what it needs."""

    def fail() -> None:
        raise URLError("no network")

    monkeypatch.setattr(datasets, "load_mnist", fail)
    with pytest.raises(UsageError, match="mnist problems download their data set"):
        _make("mnist/0")


def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]):
    """bsuite's own load_from_id announces what it loads."""
    _make("catch/0")

    assert capsys.readouterr() == ("", "")


def test_only_the_id_can_be_set():
    """A time limit, or any other setting, is refused, not ignored."""
    with pytest.raises(ConfigError, match="unknown parameter 'max_episode_steps'"):
        parse(Config, {"max_episode_steps": "2000"})
