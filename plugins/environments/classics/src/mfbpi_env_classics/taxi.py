"""Taxi: fetch a passenger at one of four stands, and drop her at another.

A 5 x 5 grid with walls between some columns, and the stands red (0, 0), green (0, 4), yellow (4, 0)
and blue (4, 3). A state is the taxi's row and column, where the passenger is (a stand, or 4 in the
taxi) and the stand where she wants to go: ((row 5 + column) 5 + passenger) 4 + destination.

Dynamics, all deterministic, with the actions south, north, east, west, pick up and drop off:

- a move leads to the next cell, and stays at a wall; it pays -1;
- picking up at the passenger's stand takes her in and pays -1; elsewhere it pays -10;
- dropping off at her destination pays 20 and ends the episode; at another stand it puts her there
  and pays -1; elsewhere, or without her, it pays -10.

Episodes begin anywhere, with the passenger at any stand but her destination, each alike, and are
cut after 200 steps. States in which she stands at her destination are seen at ends alone; the
others of them are closed.

Source: Dietterich 2000, "Hierarchical reinforcement learning with the MAXQ value function
decomposition"; the numbers of states and actions, the start and the cut as in Gymnasium's.
"""

from __future__ import annotations

import numpy as np

from mfbpi_core import NoConfig, RunProtocol, TabularMDP
from mfbpi_lib_tabular.models import listed
from mfbpi_lib_tabular.models.environment import TabularEnvironment

SIZE = 5
STANDS = ((0, 0), (0, 4), (4, 0), (4, 3))
PLACES = ("red", "green", "yellow", "blue", "taxi")
IN_TAXI = len(STANDS)
PASSENGERS, DESTINATIONS = len(STANDS) + 1, len(STANDS)

ACTIONS = ("south", "north", "east", "west", "pick up", "drop off")
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))
PICK_UP, DROP_OFF = 4, 5

#: (row, column) with a wall to the next column on its east.
WALLS = frozenset({(0, 1), (1, 1), (3, 0), (4, 0), (3, 2), (4, 2)})

STEP, REFUSED, ARRIVED = -1.0, -10.0, 20.0
LONGEST = 200

#: Row, column, passenger, destination.
State = tuple[int, int, int, int]

#: In the order of their numbers.
STATES: list[State] = [
    (row, column, passenger, destination)
    for row in range(SIZE)
    for column in range(SIZE)
    for passenger in range(PASSENGERS)
    for destination in range(DESTINATIONS)
]


class Taxi(TabularEnvironment):
    """Taxi; see the module for its dynamics."""

    features = frozenset({"episodes"})
    protocol = RunProtocol(horizon=50_000, eval_every=1_000)

    def __init__(self, config: NoConfig) -> None:  # noqa: ARG002 - every factory has one
        super().__init__(taxi(), LONGEST)
        self.state_names = tuple(map(_called, STATES))
        self.action_names = ACTIONS


def taxi() -> TabularMDP:
    """The model."""
    entries = [[[_entry(state, action)] for action in range(len(ACTIONS))] for state in STATES]
    starts = np.array([float(p < IN_TAXI and p != d) for _, _, p, d in STATES])
    table = listed.read(
        entries,
        starts / starts.sum(),
        keep_unreachable=False,
        reward_range=(REFUSED, ARRIVED),
    )
    return table.mdp


def _called(state: State) -> str:
    """Such as ``2,3 red to blue``, or ``2,3 taxi to blue``."""
    row, column, passenger, destination = state
    return f"{row},{column} {PLACES[passenger]} to {PLACES[destination]}"


def _entry(state: State, action: int) -> listed.Entry:
    """What follows."""
    row, column, passenger, destination = state
    reward, arrived = STEP, False
    if action < len(MOVES):
        row, column = _moved(row, column, action)
    elif action == PICK_UP:
        if passenger < IN_TAXI and STANDS[passenger] == (row, column):
            passenger = IN_TAXI
        else:
            reward = REFUSED
    elif passenger == IN_TAXI and (row, column) in STANDS:
        passenger = STANDS.index((row, column))
        arrived = passenger == destination
        reward = ARRIVED if arrived else STEP
    else:
        reward = REFUSED
    return 1.0, _number((row, column, passenger, destination)), reward, arrived


def _moved(row: int, column: int, action: int) -> tuple[int, int]:
    """The cell after a move."""
    down, east = MOVES[action]
    blocked = (east == 1 and (row, column) in WALLS) or (east == -1 and (row, column - 1) in WALLS)
    if blocked:
        return row, column
    return min(max(row + down, 0), SIZE - 1), min(max(column + east, 0), SIZE - 1)


def _number(state: State) -> int:
    row, column, passenger, destination = state
    return ((row * SIZE + column) * PASSENGERS + passenger) * DESTINATIONS + destination
