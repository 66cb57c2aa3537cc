"""Every row of the README's table: what differs from bsuite's two DeepSeas, and what does not."""

from typing import Any

import numpy as np
import pytest
from bsuite.environments.deep_sea import DeepSea

from mfbpi_core.errors import ActionError, UsageError
from mfbpi_env_slipping_deep_sea.environment import Config, SlippingDeepSea

SIZE, CORNER = 5, (4, 4)


def _sea(**parameters: Any) -> SlippingDeepSea:
    sea = SlippingDeepSea(Config(size=SIZE, **parameters))
    sea.reset(seed=0)
    return sea


def _move(raw: Any, cell: tuple[int, int], *, right: bool) -> tuple[int, float]:
    """Column reached and reward of one move of bsuite's object."""
    raw.reset()
    raw._row, raw._column = cell
    means_right = int(raw._action_mapping[cell])
    timestep = raw.step(means_right if right else 1 - means_right)
    return int(raw._column), timestep.reward


def test_without_slips_it_is_bsuites():
    """Slip 0, variant paper: the same observations, rewards and ends for 500 random actions."""
    sea, raw = _sea(slip=0.0), DeepSea(SIZE, mapping_seed=42)
    raw.reset()
    for action in np.random.default_rng(0).integers(2, size=500):
        observation, reward, terminated, truncated, _ = sea.step(int(action))
        timestep = raw.step(int(action))

        assert np.array_equal(observation, timestep.observation)
        assert (reward, terminated, truncated) == (timestep.reward, timestep.last(), False)
        if terminated:
            sea.reset()
            raw.reset()


def test_a_slip_of_right_moves_left_for_free():
    """bsuite's stochastic DeepSea stays in the column instead, and charges the move."""
    sea = _sea(slip=1.0)
    sea.raw._row, sea.raw._column = 3, 2
    _, reward, *_ = sea.step(int(sea.right[3, 2]))
    windy = DeepSea(SIZE, deterministic=False, seed=0, mapping_seed=42)
    failed = {_move(windy, (3, 2), right=True) for _ in range(100)} - {(3, -0.002)}

    assert (sea.raw._column, reward) == (1, 0.0)
    assert failed == {(2, -0.002)}


def test_a_slip_of_left_moves_right_at_its_cost():
    """bsuite's left never fails, in either DeepSea."""
    sea = _sea(slip=1.0)
    sea.raw._row, sea.raw._column = 3, 2
    _, reward, *_ = sea.step(1 - int(sea.right[3, 2]))
    windy = DeepSea(SIZE, deterministic=False, seed=0, mapping_seed=42)

    assert (sea.raw._column, reward) == (3, -0.002)
    assert {_move(windy, (3, 2), right=False) for _ in range(100)} == {(1, 0.0)}


@pytest.mark.parametrize("variant", ["paper", "published"])
def test_rewards_have_no_noise(variant: str):
    """bsuite's stochastic DeepSea adds N(0, 1) at both ends of the last row."""
    ours = {_move(_sea(variant=variant).raw, CORNER, right=True) for _ in range(5)}
    windy = DeepSea(SIZE, deterministic=False, seed=0, mapping_seed=42)
    theirs = {_move(windy, CORNER, right=True)[1] for _ in range(5)}

    assert ours == {(4, 0.998)}
    assert len(theirs) == 5


def test_large_reward_of_the_paper():
    """Only for executing right in the corner."""
    raw = _sea().raw

    assert _move(raw, CORNER, right=True) == (4, 0.998)
    assert _move(raw, CORNER, right=False) == (3, 0.0)
    assert _move(raw, (4, 3), right=True) == (4, -0.002)


def test_large_reward_of_the_published_code():
    """For ending the last move in the last column, from the corner or from beside it."""
    raw = _sea(variant="published").raw

    assert _move(raw, CORNER, right=True) == (4, 0.998)
    assert _move(raw, CORNER, right=False) == (3, 0.0)
    assert _move(raw, (4, 3), right=True) == (4, 0.998)
    assert _move(raw, (3, 3), right=True) == (4, -0.002)


def test_mapping_by_cell_and_by_column():
    """Paper: bsuite's own mapping; published: one draw for each column."""
    paper, published = _sea(), _sea(variant="published")

    assert np.array_equal(paper.right, DeepSea(SIZE, mapping_seed=42)._action_mapping)
    assert (published.right == published.right[0]).all()
    assert not (paper.right == paper.right[0]).all()


def test_optimal_return_is_exact():
    """bsuite's private figures are 0.99, and (1 - 1/N)^(N - 1) - 0.01 with wind."""
    assert DeepSea(SIZE, mapping_seed=42)._optimal_return == 0.99
    assert _sea(slip=0.0).optimal_return == pytest.approx(0.99, rel=1e-14)


def test_mapping_seed_is_never_drawn():
    """bsuite's mapping differs from one object to the next unless it is given mapping_seed."""
    theirs = {DeepSea(SIZE)._action_mapping.tobytes() for _ in range(4)}

    assert len(theirs) > 1
    assert len({_sea().right.tobytes() for _ in range(4)}) == 1


def test_actions_are_checked():
    """bsuite takes any other action for left."""
    raw = DeepSea(SIZE, mapping_seed=42)
    raw.reset()

    assert raw.step(7).reward == 0.0
    with pytest.raises(ActionError, match="0 to 1"):
        _sea().step(7)


def test_step_after_the_end_is_refused():
    """bsuite ignores the action and starts another episode."""
    raw, sea = DeepSea(SIZE, mapping_seed=42), _sea()
    raw.reset()
    for _ in range(SIZE):
        raw.step(0)
        sea.step(0)

    assert raw.step(0).first()
    with pytest.raises(UsageError, match="call reset"):
        sea.step(0)
