"""The models by hand, and maps that are refused."""

from __future__ import annotations

import numpy as np
import pytest

from mfbpi_core import NoConfig
from mfbpi_core.errors import ConfigError
from mfbpi_env_classics.chains import chain, double_chain
from mfbpi_env_classics.grids import GridConfig, GridWorld, grid_world, two_rooms
from mfbpi_env_classics.six_arms import LEADS_OUT, PAYS, six_arms
from mfbpi_env_classics.small import DirichletConfig, DirichletMDP, Ring, RingConfig, ring
from mfbpi_env_classics.taxi import ARRIVED, DROP_OFF, PICK_UP, STATES, Taxi, taxi
from mfbpi_lib_tabular.solution import planning


def test_chain_without_slips() -> None:
    """Forward for ever: 10 / (1 - g) in the last state, and g^4 of it in the first."""
    values = planning.solve(chain(5, 0.0), 0.9).values
    assert values[[0, 4]] == pytest.approx([100.0 * 0.9**4, 100.0])


def test_chain_pays_what_is_executed() -> None:
    """Mean rewards of the last state: 0.8 x 10 + 0.2 x 2 forward, 0.2 x 10 + 0.8 x 2 back."""
    model = chain(5, 0.2)
    assert model.mean_rewards[-1] == pytest.approx([8.4, 3.6])
    assert model.mean_rewards[0] == pytest.approx([0.4, 1.6])


def test_double_chain_walks_to_its_end() -> None:
    """31 states from the middle; right everywhere, and 1 at the end."""
    model = double_chain(31, 0.1)
    assert model.initial.argmax() == 15
    assert model.transitions[3, 1, [2, 4]].tolist() == [0.1, 0.9]
    assert planning.solve(model, 0.95).policy[:-1].tolist() == [1] * 30


def test_six_arms() -> None:
    """Staying in the sixth arm is best, 6000 / (1 - g); V(0) solves V = g (p V6 + (1 - p) V)."""
    g = 0.95
    model = six_arms()
    values = planning.solve(model, g).values
    last = PAYS[-1] / (1 - g)
    p = LEADS_OUT[-1]
    assert values[6] == pytest.approx(last)
    assert values[0] == pytest.approx(g * p * last / (1 - g * (1 - p)))
    assert model.mean_rewards[1].tolist() == [50.0, 50.0, 50.0, 50.0, 0.0, 50.0]


def test_grid_without_ice() -> None:
    """Four moves to the goal: V*(start) = g^3; the wall and the edge are in the way."""
    model = grid_world(("S#.", "..G"), 0.5)
    assert planning.solve(model, 0.9).values[0] == pytest.approx(0.9**2)
    assert model.transitions[0, 1, 0] == 1.0
    assert model.terminal.tolist() == [False, False, False, False, True]


def test_ice_leads_aside() -> None:
    """On ice, right goes right with 0.6, and up or down with 0.2 each."""
    model = grid_world(("...", "~.G", "S.."), 0.4)
    ice = 3
    assert model.transitions[ice, 1, [4, 0, 6]] == pytest.approx([0.6, 0.2, 0.2])


def test_rooms_and_names() -> None:
    """Two rooms of 3 x 3 with a door; states are called by row and column."""
    assert two_rooms(3) == ["S~~#~~~", "~~~~~~~", "~~~#~~G"]
    grid = GridWorld(GridConfig(map="S#/.G"))
    assert grid.state_names == ("0,0", "1,0", "1,1")
    assert np.flatnonzero(grid.mdp.terminal).tolist() == [2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("S.X/..G", "row 0: the sign 'X'"),
        ("S../.G", "row 1 has 2 signs; expected 3"),
        ("...", "has no start S"),
        ("S..", "has no goal G"),
        ("", "has no start S"),
    ],
)
def test_wrong_maps_are_named(text: str, said: str) -> None:
    """The row and the sign, or what is missing."""
    with pytest.raises(ConfigError, match=said):
        GridWorld(GridConfig(map=text))


def test_near_tie() -> None:
    """The gap is what was asked for; the optimal values stay; a larger gap is refused."""
    plain, tied = planning.solve(ring(), 0.9), planning.solve(ring(1e-5), 0.9)
    assert tied.values == pytest.approx(plain.values, abs=1e-12)
    assert tied.policy.tolist() == plain.policy.tolist()
    gaps = tied.values[1] - tied.q_values[1]
    assert gaps.max() == pytest.approx(1e-5, abs=1e-12)
    with pytest.raises(ConfigError, match="gap is 5"):
        Ring(RingConfig(gap=5.0))


def test_dirichlet_is_drawn_in_order() -> None:
    """Probabilities first, then rewards, by numpy's default generator."""
    rng = np.random.default_rng(7)
    rows = rng.dirichlet(np.ones(10), size=(10, 3))
    model = DirichletMDP(DirichletConfig()).mdp
    assert model.transitions == pytest.approx(rows, abs=1e-15)
    assert model.mean_rewards == pytest.approx(rng.random((10, 3)), abs=1e-15)


def test_taxi_by_hand() -> None:
    """In the taxi at her destination, dropping her pays 20; beside her stand picking up costs."""
    model, number = taxi(), {state: n for n, state in enumerate(STATES)}
    plan = planning.solve(model, 0.9)
    arrived = number[0, 0, 4, 0]
    assert plan.values[arrived] == pytest.approx(ARRIVED)
    assert plan.policy[arrived] == DROP_OFF
    assert model.mean_rewards[number[2, 2, 0, 1], PICK_UP] == -10.0
    assert plan.values[number[0, 0, 0, 2]] == pytest.approx(-(1 - 0.9**5) / 0.1 + 0.9**5 * 20)


def test_taxi_begins_with_a_passenger_who_waits() -> None:
    """At 300 of 500 states, each alike; states are called by their place, hers and her aim."""
    taxi_ = Taxi(NoConfig())
    assert np.count_nonzero(taxi_.mdp.initial) == 300
    assert taxi_.state_names is not None
    assert taxi_.state_names[1] == "0,0 red to green"
