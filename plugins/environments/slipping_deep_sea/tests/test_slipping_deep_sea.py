"""DeepSea with slips: its law, its model, its streams."""

import pickle
from typing import Any

import numpy as np
import pytest

from mfbpi_core import Interaction, Problem
from mfbpi_core.contracts.parameters import parse
from mfbpi_core.errors import CheckpointError, ConfigError
from mfbpi_core.testing.worlds.doubles import KitAgent
from mfbpi_env_slipping_deep_sea.environment import Config, SlippingDeepSea
from mfbpi_env_slipping_deep_sea.model import optimal_values, state_number

VARIANTS = ("paper", "published")


def _sea(**parameters: Any) -> SlippingDeepSea:
    return SlippingDeepSea(Config(**parameters))


def _random_chunk(sea: SlippingDeepSea, n_steps: int, seed: int = 0) -> Any:
    """Steps of a uniformly random agent, as the interaction loop records them."""
    problem = Problem(
        n_states=None, n_actions=2, observation_shape=(10, 10), discount=0.99, horizon=n_steps
    )
    agent = KitAgent(problem, None, np.random.default_rng(seed))
    return Interaction(sea, agent, seed).advance(n_steps)


def _walk(sea: SlippingDeepSea, seed: int, n_steps: int = 200) -> list[Any]:
    """Cells and rewards of alternating actions."""
    sea.reset(seed=seed)
    shown = []
    for t in range(n_steps):
        observation, reward, terminated, _, _ = sea.step(t % 2)
        shown.append((int(observation.argmax()), reward, terminated))
        if terminated:
            sea.reset()
    return shown


# --- the optimum ---


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("paper", {10: 0.5910, 20: 0.3522, 30: 0.2094, 40: 0.1241, 50: 0.0731}),
        ("published", {10: 0.6231, 20: 0.3712, 30: 0.2208, 40: 0.1309, 50: 0.0772}),
    ],
)
def test_optimal_return(variant: str, expected: dict[int, float]):
    """The exact optimum at the sizes of the paper, to four digits."""
    found = {n: round(_sea(size=n, variant=variant).optimal_return, 4) for n in expected}

    assert found == expected


def test_optimal_return_by_hand():
    """N = 2: V(1,1) = .95 .995, V(1,0) = -.05 .005, V(0,0) = .95 (V(1,1) - .005) + .05 V(1,0)."""
    beyond, beside = 0.95 * 0.995, -0.05 * 0.005

    expected = 0.95 * (beyond - 0.005) + 0.05 * beside
    assert _sea(size=2).optimal_return == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("variant", VARIANTS)
def test_optimal_return_is_what_the_optimal_policy_gets(variant: str):
    """The mean of 2000 simulated episodes is within 4 standard errors of the optimum."""
    sea = _sea(size=6, variant=variant, slip=0.1)
    mdp, values = sea.model, optimal_values(sea.model)
    q = mdp.mean_rewards + np.einsum("sak,sak->sa", mdp.probabilities, values[mdp.successors])
    sea.reset(seed=1)
    returns = []
    for _ in range(2000):
        observation, total, terminated = sea.reset()[0], 0.0, False
        while not terminated:
            row, column = divmod(int(observation.argmax()), 6)
            action = int(q[state_number(row, column)].argmax())
            observation, reward, terminated, _, _ = sea.step(action)
            total += reward
        returns.append(total)

    error = np.std(returns, ddof=1) / np.sqrt(len(returns))
    assert abs(np.mean(returns) - sea.optimal_return) < 4.0 * error


# --- the model ---


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("size", [2, 3, 7])
def test_model_is_the_law_of_bsuite(variant: str, size: int):
    """In every cell, for every executed action: the model's successor and, exactly, its reward."""
    sea = _sea(size=size, variant=variant, slip=0.25)
    mdp = sea.model
    for row, column in zip(*np.tril_indices(size), strict=True):
        s = int(state_number(row, column))
        for executed in (0, 1):
            sea.raw.reset()
            sea.raw._row, sea.raw._column = int(row), int(column)
            timestep = sea.raw.step(executed)
            slot = int(executed == sea.right[row, column])  # 0 left, 1 right
            reached = int(state_number(row + 1, sea.raw._column))

            assert mdp.successors[s, :, slot].tolist() == [reached, reached]
            assert mdp.rewards[s, :, slot].tolist() == [timestep.reward, timestep.reward]
            assert mdp.terminal[reached] == timestep.last()
            assert mdp.probabilities[s, executed, slot] == 0.75
            assert mdp.probabilities[s, 1 - executed, slot] == 0.25


def test_model_sizes():
    """N (N + 1) / 2 cells and N ends; the walk starts in cell (0, 0)."""
    mdp = _sea(size=10).model

    assert (mdp.n_states, mdp.n_actions, int(mdp.terminal.sum())) == (65, 2, 10)
    assert mdp.initial[0] == 1.0
    assert mdp.reward_range == (-0.001, 0.999)


# --- the slip ---


@pytest.mark.parametrize("variant", VARIANTS)
def test_slip_rate_in_what_the_agent_stores(variant: str):
    """The chosen action is stored; it and what happened disagree in 5 % of 20,000 steps."""
    sea = _sea(variant=variant)
    chunk = _random_chunk(sea, 20_000)
    chosen_right = chunk.actions == sea.right.reshape(-1)[sea.cells.index(chunk.observations)]
    went_right = chunk.rewards != 0.0
    rate = float(np.mean(chosen_right != went_right))

    assert abs(rate - 0.05) < 4.0 * np.sqrt(0.05 * 0.95 / 20_000)


@pytest.mark.parametrize("slip", [0.0, 1.0])
def test_slip_is_symmetric(slip: float):
    """Never or always, for left as for right: the other action is executed."""
    sea = _sea(slip=slip)
    chunk = _random_chunk(sea, 2_000)
    chosen_right = chunk.actions == sea.right.reshape(-1)[sea.cells.index(chunk.observations)]

    assert ((chosen_right == (chunk.rewards != 0.0)) == (slip == 0.0)).all()


# --- the mapping and the streams ---


@pytest.mark.parametrize("variant", VARIANTS)
def test_mapping_is_fixed(variant: str):
    """Neither resets nor seeds nor slips change what the actions mean; mapping_seed does."""
    sea = _sea(variant=variant)
    before = sea.right.copy()
    for seed in (None, 0, 1, 2**32 - 1):
        sea.reset(seed=seed)
        sea.step(0)
        assert np.array_equal(sea.right, before)

    assert np.array_equal(_sea(variant=variant, slip=0.5).right, before)
    assert not np.array_equal(_sea(variant=variant, mapping_seed=43).right, before)


def test_mapping_follows_global_seeds_not():
    """A seeded global generator neither changes the mapping nor is changed by it."""
    before = _sea().right
    state = np.random.get_state()  # noqa: NPY002 - the very thing that must not matter
    try:
        np.random.seed(7)  # noqa: NPY002
        assert np.array_equal(_sea().right, before)
    finally:
        np.random.set_state(state)  # noqa: NPY002


def test_seed_is_all_that_the_noise_depends_on():
    """The same seed gives the same walk, another seed another; noise is not shared."""
    one, two = _sea(slip=0.3), _sea(slip=0.3)

    assert _walk(one, 5) == _walk(two, 5) == _walk(one, 5)
    assert _walk(one, 5) != _walk(two, 6)


def test_state_round_trip_is_exact():
    """A pickled state, loaded into another instance in mid-episode, goes on bit for bit."""
    sea, other = _sea(slip=0.3), _sea(slip=0.3)
    sea.reset(seed=3)
    for _ in range(4):
        sea.step(1)
    state = pickle.loads(pickle.dumps(sea.state_dict()))
    expected = [sea.step(1)[:3] for _ in range(6)]
    for _ in range(2):
        other.load_state_dict(state)
        found = [other.step(1)[:3] for _ in range(6)]
        assert [f[1:] for f in found] == [e[1:] for e in expected]
        assert all(np.array_equal(f[0], e[0]) for f, e in zip(found, expected, strict=True))


@pytest.mark.parametrize(
    "parameters", [{"mapping_seed": 1}, {"size": 11}, {"variant": "published"}]
)
def test_state_of_another_sea_is_refused(parameters: dict[str, Any]):
    """Where the actions mean something else, the state does not belong."""
    with pytest.raises(CheckpointError, match="another size, mapping_seed or variant"):
        _sea().load_state_dict(_sea(**parameters).state_dict())


# --- declarations ---


def test_cells_are_the_lower_triangle():
    """Cell row N + column; column <= row can be reached, and a walk fills all of it."""
    sea = _sea(size=4, slip=0.5)
    chunk = _random_chunk(sea, 4_000)
    cells = sea.cells
    visited = np.bincount(cells.index(chunk.observations), minlength=16) > 0

    assert cells.count == 16
    assert cells.reachable is not None
    assert np.array_equal(cells.reachable.reshape(4, 4), np.tri(4, dtype=bool))
    assert np.array_equal(visited, cells.reachable)


def test_observation_is_one_hot():
    """float32 [N, N] with a single 1, and zeros at the end; a new array each time."""
    sea = _sea(size=3)
    first = sea.reset(seed=0)[0]
    shown = [first, *(sea.step(0)[0] for _ in range(3))]

    assert all(o.shape == (3, 3) and o.dtype == np.float32 for o in shown)
    assert [float(o.sum()) for o in shown] == [1.0, 1.0, 1.0, 0.0]
    assert all(o.flags.writeable for o in shown)


def test_protocol_is_that_of_the_paper():
    """100 N episodes of N steps with discount 0.99."""
    sea = _sea(size=20)

    assert (sea.protocol.horizon, sea.protocol.episodes, sea.protocol.discount) == (
        None,
        2000,
        0.99,
    )
    assert sea.max_episode_steps == 20
    assert {"arrays", "cells", "deep_sea", "episodes", "model", "one_hot"} == sea.provides


@pytest.mark.parametrize("variant", VARIANTS)
def test_success_is_the_large_reward(variant: str):
    """A last step paid 1 minus the move cost: from the corner, or from its left neighbour."""
    sea = _sea(size=2, variant=variant, slip=0.5)
    chunk = _random_chunk(sea, 2_000)
    successes = sea.succeeded(chunk)
    from_cells = set(sea.cells.index(chunk.observations)[successes].tolist())

    assert set(chunk.rewards[successes].tolist()) == {0.995}
    assert chunk.terminated[successes].all()
    assert from_cells == ({3} if variant == "paper" else {2, 3})


def test_time_limit_cannot_be_changed():
    """N moves are part of the problem: asking for another limit is refused, not ignored."""
    with pytest.raises(ConfigError, match="unknown parameter 'max_episode_steps'"):
        parse(Config, {"max_episode_steps": "100"})


@pytest.mark.parametrize("given", [{"size": 1}, {"slip": 1.5}, {"variant": "bsuite"}])
def test_bad_parameters_are_refused(given: dict[str, Any]):
    """The message names the parameter."""
    with pytest.raises(ConfigError, match=f"parameter {next(iter(given))} is"):
        Config(**given)
