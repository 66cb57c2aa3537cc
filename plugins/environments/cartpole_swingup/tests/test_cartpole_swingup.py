"""Cartpole swing-up: bsuite's law, the two ends of an episode, the grid."""

import pickle
from typing import Any

import numpy as np
import pytest
from bsuite.environments.cartpole import CartpoleState
from bsuite.experiments.cartpole_swingup import sweep
from bsuite.experiments.cartpole_swingup.cartpole_swingup import CartpoleSwingup as Theirs

from mfbpi_core import Transition, Transitions
from mfbpi_core.contracts.parameters import parse
from mfbpi_core.errors import ConfigError
from mfbpi_env_cartpole_swingup.environment import CartpoleSwingup, Config
from mfbpi_env_cartpole_swingup.grid import cell_numbers, variables

LEFT, STAY, RIGHT = 0, 1, 2


def _pole(k: int = 5) -> CartpoleSwingup:
    return CartpoleSwingup(Config(k=k))


def _swing(observation: Any) -> int:
    """Pump energy into the pole near the centre, steer back near the edges."""
    x, speed, _, cosine, spin = observation[:5]
    if abs(x) > 0.5:
        return LEFT if x > 0 else RIGHT
    if abs(speed) > 1.0:
        return LEFT if speed > 0 else RIGHT
    return LEFT if spin * cosine > 0 else RIGHT


def _episode(pole: CartpoleSwingup, policy: Any, seed: int | None = 0) -> list[Transition]:
    observation = pole.reset(seed=seed)[0]
    steps = []
    while not steps or not (steps[-1].terminated or steps[-1].truncated):
        action = policy(observation)
        following, reward, terminated, truncated, _ = pole.step(action)
        steps.append(Transition(observation, action, reward, following, terminated, truncated))
        observation = following
    return steps


@pytest.mark.parametrize("k", [0, 1, 5, 19])
def test_law_is_bsuites(k: int):
    """With bsuite's setting k and the same seed: the same observations and rewards, to the bit."""
    theirs = Theirs(**sweep.SETTINGS[k], seed=4)
    timestep = theirs.reset()
    steps = _episode(_pole(k), _swing, seed=4)
    for step in steps:
        assert np.array_equal(step.observation, timestep.observation[0])
        timestep = theirs.step(step.action)
        assert step.reward == timestep.reward


def test_time_limit_truncates():
    """Staying still, the episode is cut after exactly 1000 steps: a truncation."""
    steps = _episode(_pole(), lambda observation: STAY)

    assert len(steps) == 1000
    assert (steps[-1].terminated, steps[-1].truncated) == (False, True)


def test_bsuite_ends_one_step_later():
    """bsuite adds 0.01 a thousand times, which is a little less than 10: 1001 steps, terminated."""
    theirs = Theirs(seed=0)
    theirs.reset()
    lengths = [t for t in range(1, 1100) if theirs.step(STAY).last()][:1]

    assert lengths == [1001]


def test_leaving_the_track_terminates():
    """Pushing right drives the cart beyond x = 3: a termination, not a truncation."""
    steps = _episode(_pole(), lambda observation: RIGHT)

    assert len(steps) < 1000
    assert (steps[-1].terminated, steps[-1].truncated) == (True, False)
    assert steps[-1].next_observation[0] > 1.0
    assert all(step.next_observation[0] <= 1.0 for step in steps[:-1])


def _steps_near_upright(pole: CartpoleSwingup, n_steps: int = 600) -> list[Transition]:
    """Single steps from states on both sides of every threshold."""
    rng = np.random.default_rng(0)
    steps = []
    for _ in range(n_steps):
        observation = pole.reset(seed=0)[0]
        x, x_dot, theta, theta_dot = rng.uniform([-1.2, -1, -1.6, -1.5], [1.2, 1, 1.6, 1.5])
        pole.raw._state = CartpoleState(x, x_dot, theta, theta_dot, 0.0)
        action = int(rng.integers(3))
        following, reward, terminated, truncated, _ = pole.step(action)
        steps.append(Transition(observation, action, reward, following, terminated, truncated))
    return steps


@pytest.mark.parametrize("k", [0, 1, 5, 10])
def test_upright_is_what_is_rewarded(k: int):
    """Told by the reward, it agrees with bsuite's count and with the thresholds as observed."""
    pole = _pole(k)
    chunk = Transitions.from_steps(0, _steps_near_upright(pole))
    shown = chunk.next_observations
    high, slow = shown[:, 3] > k / 20, np.abs(shown[:, 4]) < 1.0
    central = np.abs(3.0 * shown[:, 0]) < 1 - k / 20
    upright = pole.upright(chunk)

    assert 0 < upright.sum() < len(upright)
    assert upright.sum() == pole.raw.bsuite_info()["total_upright"]
    assert np.array_equal(upright, high & slow & central)
    assert np.array_equal(upright, high & (shown[:, 6] > 0) & (shown[:, 7] > 0))


def test_rewards_are_in_the_declared_range():
    """A push costs 0.1, an upright step pays 1; every combination occurs."""
    pole = _pole(1)
    rewards = {step.reward for step in _steps_near_upright(pole)}

    assert rewards == {-0.1, 0.0, 0.9, 1.0}
    assert pole.reward_range == (-0.1, 1.0)


def _observation(x: float, x_dot: float, theta: float, theta_dot: float) -> list[float]:
    return [x / 3, x_dot / 3, np.sin(theta), np.cos(theta), theta_dot, 0.0, 1.0, 1.0]


def test_variables_are_recovered_from_observations():
    """(x, x', theta, theta') in m, m/s, rad and rad/s, with theta in [-pi, pi]."""
    given = [(0.5, -2.0, 3.0, 7.0), (-2.9, 4.0, -3.0, -9.0)]
    found = variables(np.array([_observation(*state) for state in given], dtype=np.float32))

    np.testing.assert_allclose(found, given, rtol=1e-6)


@pytest.mark.parametrize(
    ("state", "cell"),
    [
        ((-3.0, -5.0, -3.14, -10.0), (0, 0, 0, 0)),
        ((0.1, 0.1, 0.1, 0.1), (8, 8, 8, 8)),
        ((-0.1, -0.1, -0.1, -0.1), (7, 7, 7, 7)),
        ((2.9, 4.9, 3.14, 9.9), (15, 15, 15, 15)),
        ((-3.1, 99.0, 0.5, -99.0), (0, 15, 9, 0)),
    ],
)
def test_cells_by_hand(state: tuple[float, ...], cell: tuple[int, ...]):
    """Sixteen equal parts of each range; what lies outside counts in the first or last."""
    observations = np.array([_observation(*state)], dtype=np.float32)

    assert cell_numbers(observations).tolist() == [np.ravel_multi_index(cell, (16,) * 4)]


def test_grid_edges_fit_the_cells():
    """The declared edges are those by which cells are numbered."""
    pole = _pole()
    steps = _episode(pole, _swing)
    shown = np.array([step.observation for step in steps])
    edges = list(pole.grid.values())
    values = variables(shown)
    by_edges = [np.clip(np.digitize(values[:, i], edges[i]) - 1, 0, 15) for i in range(len(edges))]

    assert list(pole.grid) == ["x", "x_dot", "theta", "theta_dot"]
    assert pole.cells.count == 16**4
    assert np.array_equal(pole.cells.index(shown), np.ravel_multi_index(by_edges, (16,) * 4))


def test_state_round_trip_is_exact():
    """A pickled state, loaded into another instance in mid-episode, goes on bit for bit."""
    pole, other = _pole(), _pole()
    pole.reset(seed=1)
    for t in range(990):
        pole.step((LEFT, STAY, RIGHT, STAY)[t % 4])
    state = pickle.loads(pickle.dumps(pole.state_dict()))

    def rest(environment: CartpoleSwingup) -> list[Any]:
        shown = [environment.step(STAY) for _ in range(10)]
        return [
            *[(o.tolist(), r, a, b) for o, r, a, b, _ in shown],
            environment.reset()[0].tolist(),
        ]

    expected = rest(pole)
    assert expected[-2][3], "the clock is part of the state"
    for _ in range(2):
        other.load_state_dict(state)
        assert rest(other) == expected


def test_protocol_is_that_of_the_paper():
    """200 episodes of up to 1000 steps with discount 0.99; 8 features, 3 actions."""
    pole = _pole()

    assert (pole.protocol.horizon, pole.protocol.episodes) == (None, 200)
    assert (pole.protocol.discount, pole.max_episode_steps) == (0.99, 1000)
    assert (pole.observation_shape, pole.n_actions, pole.n_states) == ((8,), 3, None)
    assert pole.provides == {"arrays", "cartpole", "cells", "episodes"}


@pytest.mark.parametrize("k", [-1, 20])
def test_level_out_of_range_is_refused(k: int):
    """At k = 20 nothing is upright."""
    with pytest.raises(ConfigError, match=f"parameter k is {k}"):
        Config(k=k)


def test_time_limit_cannot_be_changed():
    """Asking for a longer time limit is refused, not ignored."""
    with pytest.raises(ConfigError, match="unknown parameter 'max_episode_steps'"):
        parse(Config, {"max_episode_steps": "2000"})
