"""Models made of P: terminal flags, twins, starts, ranges, and what is refused."""

from __future__ import annotations

from collections import Counter
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.wrappers import TransformReward

from mfbpi_core import Environment
from mfbpi_core.errors import MfbpiError
from mfbpi_env_gymnasium.environment import Config, adopt, build
from mfbpi_env_gymnasium.table import GymnasiumTable
from mfbpi_lib_tabular.solution import planning

DISCOUNT = 0.9


class Listed(gymnasium.Env[Any, Any]):
    """An environment that is its ``P``; ``step`` draws from it."""

    def __init__(self, entries: list[Any], initial: list[float], first: int = 0) -> None:
        self.P = {
            first + s: {first + a: here for a, here in enumerate(row)}
            for s, row in enumerate(entries)
        }
        self.initial_state_distrib = np.array(initial)
        self.observation_space = spaces.Discrete(len(entries), start=first)
        self.action_space = spaces.Discrete(len(entries[0]), start=first)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin."""
        super().reset(seed=seed)
        drawn = self.np_random.choice(len(self.P), p=self.initial_state_distrib)
        self.s = min(self.P) + int(drawn)
        return self.s, {}

    def step(self, action: Any) -> Any:
        """Draw an entry."""
        here = self.P[self.s][int(action)]
        chosen = self.np_random.choice(len(here), p=[entry[0] for entry in here])
        _, self.s, reward, terminated = here[chosen]
        return self.s, reward, terminated, False, {}


def made(environment: gymnasium.Env[Any, Any], **options: Any) -> Environment:
    """What the plugin makes of an object."""
    found = adopt(environment, options)
    assert found is not None
    return found


def values(environment: Environment) -> Any:
    """Optimal values of its model."""
    assert environment.model is not None
    return planning.solve(environment.model, DISCOUNT).values


def test_frozen_lake_by_hand() -> None:
    """Without ice, the goal is six steps away: V* = g^5 at the start, and holes are worth 0."""
    lake = build(Config(make={"is_slippery": False}))
    assert values(lake)[0] == pytest.approx(DISCOUNT**5)
    assert lake.model is not None
    assert np.flatnonzero(lake.model.terminal).tolist() == [5, 7, 11, 12, 15]
    assert (lake.max_episode_steps, lake.reward_range) == (100, (0.0, 1.0))


def test_cliff_walking_by_hand() -> None:
    """13 steps along the cliff, each -1, and the ones who fall begin again."""
    cliff = build(Config(environment_id="CliffWalking-v1"))
    assert cliff.reward_range == (-100.0, -1.0)
    assert values(cliff)[36] == pytest.approx(-(1 - DISCOUNT**13) / (1 - DISCOUNT))


def test_taxi_has_no_twin_and_closes_what_nobody_sees() -> None:
    """500 states as Gymnasium numbers them; a passenger sits at the destination only at the end."""
    taxi = build(Config(environment_id="Taxi-v4"))
    assert isinstance(taxi, GymnasiumTable)
    assert (taxi.n_states, taxi.max_episode_steps, taxi.reward_range) == (500, 200, (-10.0, 20.0))
    assert int((~taxi.mdp.terminal).sum()) == 400
    cells = taxi.cells.reachable
    assert cells is not None
    assert int(cells.sum()) == 400  # the four others are ends, in which nobody acts


def test_twins_stand_for_ends_in_states_that_go_on() -> None:
    """State 1 pays 1 for ending in itself; it is also passed, so its end is a state of its own."""
    pass_by, end = (1.0, 1, 0.0, False), (1.0, 1, 1.0, True)
    environment = made(Listed([[[pass_by], [pass_by]], [[end], [(1.0, 0, 0.0, False)]]], [1, 0]))
    assert environment.n_states == 3
    assert environment.model is not None
    assert environment.model.terminal.tolist() == [False, False, True]
    assert values(environment) == pytest.approx([DISCOUNT, 1.0, 0.0])


def test_a_start_that_is_an_end_too_has_a_twin() -> None:
    """Episodes begin and end in state 0: V*(0) = 1, not 1 / (1 - g)."""
    environment = made(Listed([[[(1.0, 0, 1.0, True)]]], [1.0]))
    assert environment.n_states == 2
    assert values(environment)[0] == 1.0


def test_unreachable_states_are_kept_on_request() -> None:
    """As P has them, twins included: in Taxi a drop-off is then not the end of passing by."""
    taxi = build(Config(environment_id="Taxi-v4", unreachable="keep"))
    assert taxi.n_states == 504
    assert taxi.model is not None
    assert int(taxi.model.terminal.sum()) == 4


def test_entries_that_say_the_same_count_once() -> None:
    """Probabilities of equal entries add up; different rewards for one next state stay apart."""
    half, dear = (0.25, 0, 0.5, False), (0.5, 0, 1.0, False)
    environment = made(Listed([[[half, half, dear]]], [1.0]))
    assert environment.model is not None
    assert environment.model.probabilities.tolist() == [[[0.5, 0.5]]]
    assert environment.model.mean_rewards[0, 0] == 0.75
    assert environment.reward_range == (0.5, 1.0)


def test_offsets_are_removed() -> None:
    """States 3, 4 and actions 3, 4 are 0 and 1 here."""
    stay, go = [(1.0, 3, 0.0, False)], [(1.0, 4, 1.0, True)]
    environment = made(Listed([[stay, go], [stay, go]], [1, 0], first=3))
    assert environment.reset(seed=0)[0] == 0
    assert environment.step(1)[:3] == (1, 1.0, True)


def test_scaled_rewards_and_ranges() -> None:
    """The scale multiplies what is paid and the limits, whether found or given."""
    lake = build(Config(reward_scale=0.5))
    assert lake.reward_range == (0.0, 0.5)
    given = build(Config(reward_scale=0.5, reward_range=(-1.0, 1.0)))
    assert given.reward_range == (-0.5, 0.5)


def test_simulation_has_the_law_of_gymnasium() -> None:
    """First steps from the start of FrozenLake: frequencies agree within five deviations."""
    n = 3_000
    raw: Any = gymnasium.make("FrozenLake-v1")
    ours = build(Config())
    raw.reset(seed=0)
    ours.reset(seed=0)
    both: tuple[Any, Any] = (raw, ours)
    counts: list[Counter[int]] = [Counter(), Counter()]
    for _ in range(n):
        for count, environment in zip(counts, both, strict=True):
            environment.reset()
            count[int(environment.step(2)[0])] += 1
    for state in counts[0] | counts[1]:
        assert abs(counts[0][state] - counts[1][state]) < 5 * np.sqrt(n / 2)


def test_what_does_more_than_its_table_is_stepped() -> None:
    """A fickle passenger, a wrapper that pays otherwise: no exact model is claimed."""
    fickle = build(Config(environment_id="Taxi-v4", make={"fickle_passenger": True}))
    wrapped = made(TransformReward(gymnasium.make("FrozenLake-v1"), lambda r: 2.0 * float(r)))
    assert fickle.model is None
    assert wrapped.model is None
    assert wrapped.n_states == 16


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ((0.5, 0, 0.0, False), r"P of .*: probabilities.*0\.5"),
        ((-1.0, 0, 0.0, False), r"\[0\]\[0\] has the probability -1"),
        ((1.0, 7, 0.0, False), r"\[0\]\[0\]: next state 7; expected 0 to 0"),
        ((1.0, 0, float("nan"), False), r"\[0\]\[0\]: reward nan"),
        ((1.0, 0, 0.0), r"\[0\]\[0\]: .*expected \(probability"),
    ],
)
def test_a_wrong_table_is_named(entry: Any, said: str) -> None:
    """The message has state, action and number."""
    with pytest.raises(MfbpiError, match=said):
        made(Listed([[[entry]]], [1.0]))


def test_what_is_none_of_gymnasium_is_left_to_others() -> None:
    """An object of another library is not adopted."""
    assert adopt(spaces.Discrete(3), {}) is None
