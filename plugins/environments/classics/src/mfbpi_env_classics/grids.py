"""Grid worlds from text maps, and two rooms.

Dynamics, with the actions up, right, down and left: a move leads to the next cell in its direction,
and stays where that is a wall or off the map. On ice it goes to either side of its direction with
probability ``slip`` / 2 each. Entering a goal pays 1 and ends the episode; all else pays 0.
Episodes begin in any of the starts, each with the same probability.

Source of the rooms: after Sutton, Precup & Singh 1999, "Between MDPs and semi-MDPs", whose grid has
four.
"""

from __future__ import annotations

import attrs
import numpy as np

from mfbpi_core import RunProtocol, TabularMDP, parameter
from mfbpi_core.errors import ConfigError
from mfbpi_lib_tabular.models import listed
from mfbpi_lib_tabular.models.environment import TabularEnvironment

#: Row and column of a move up, right, down, left.
MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))
ACTIONS = ("up", "right", "down", "left")

WALL, START, GOAL, FLOOR, ICE = "#SG.~"

#: Steps for each state.
STEPS_PER_STATE = 2_000

#: A cell by row and column.
Cell = tuple[int, int]


@attrs.frozen(kw_only=True)
class GridConfig:
    """Parameters of a grid world."""

    map: str = parameter(
        "S.~~/.#.~/.~.G", "rows, separated by / : S start, G goal, . floor, ~ ice, # wall"
    )
    slip: float = parameter(0.2, "probability that a move on ice goes aside", ge=0, le=1)
    max_episode_steps: int | None = parameter(
        None, "steps after which an episode is cut; none: no limit", ge=1
    )


class GridWorld(TabularEnvironment):
    """A grid world; see the module for its dynamics.

    Attributes:
        rows: the map.
        state_names: row and column of each state.
    """

    def __init__(self, config: GridConfig) -> None:
        self.rows = tuple(config.map.replace("/", "\n").split())
        cells = _cells(self.rows)
        super().__init__(grid_world(self.rows, config.slip), config.max_episode_steps)
        self.state_names = tuple(f"{row},{column}" for row, column in cells)
        self.positions = np.array(cells, dtype=np.int64)
        self.action_names = ACTIONS
        self.protocol = RunProtocol(horizon=STEPS_PER_STATE * len(cells))

    @property
    def provides(self) -> frozenset[str]:
        """What is provided: ``"episodes"`` too where there is a time limit."""
        limited = self.max_episode_steps is not None
        return super().provides | ({"episodes"} if limited else set())


@attrs.frozen(kw_only=True)
class RoomsConfig:
    """Parameters of the two rooms."""

    width: int = parameter(5, "rows and columns of each room", ge=1)
    slip: float = parameter(0.2, "probability that a move goes aside, everywhere", ge=0, le=1)
    max_episode_steps: int | None = parameter(
        None, "steps after which an episode is cut; none: no limit", ge=1
    )


class TwoRooms(GridWorld):
    """Two rooms of ice, a door between them, from one far corner to the other."""

    def __init__(self, config: RoomsConfig) -> None:
        super().__init__(
            GridConfig(
                map="/".join(two_rooms(config.width)),
                slip=config.slip,
                max_episode_steps=config.max_episode_steps,
            )
        )


def two_rooms(width: int) -> list[str]:
    """The map of two rooms: the start above left, the goal below right, the door in the middle."""
    rows = []
    for row in range(width):
        door = ICE if row == width // 2 else WALL
        left, right = [ICE] * width, [ICE] * width
        if row == 0:
            left[0] = START
        if row == width - 1:
            right[-1] = GOAL
        rows.append("".join([*left, door, *right]))
    return rows


def grid_world(rows: tuple[str, ...], slip: float) -> TabularMDP:
    """The model of a map.

    Raises:
        ConfigError: for a map with other signs, uneven rows, or without start or goal.
    """
    cells = _cells(rows)
    number = {cell: state for state, cell in enumerate(cells)}
    entries: listed.Rows = []
    for row, column in cells:
        here: list[list[listed.Entry]] = []
        for action in range(len(MOVES)):
            aside = slip if _sign(rows, (row, column)) == ICE else 0.0
            chances = ((action, 1.0 - aside), (action - 1, aside / 2), (action - 3, aside / 2))
            here.append(
                [_entry(rows, number, (row, column), move, chance) for move, chance in chances]
            )
        entries.append(here)
    starts = np.array([_sign(rows, cell) == START for cell in cells], dtype=np.float64)
    table = listed.read(
        entries, starts / starts.sum(), keep_unreachable=True, reward_range=(0.0, 1.0)
    )
    return table.mdp


def _entry(
    rows: tuple[str, ...], number: dict[Cell, int], cell: Cell, move: int, chance: float
) -> listed.Entry:
    """Where a move leads."""
    down, right = MOVES[move]
    ahead = cell[0] + down, cell[1] + right
    target = ahead if ahead in number else cell
    reached = _sign(rows, target) == GOAL
    return chance, number[target], 1.0 if reached else 0.0, reached


def _sign(rows: tuple[str, ...], cell: Cell) -> str:
    return rows[cell[0]][cell[1]]


def _cells(rows: tuple[str, ...]) -> list[Cell]:
    """The cells that are no wall, row by row; raises :class:`ConfigError` for a wrong map."""
    for number, row in enumerate(rows):
        wrong = [sign for sign in row if sign not in (WALL, START, GOAL, FLOOR, ICE)]
        if wrong:
            raise ConfigError(
                f"map, row {number}: the sign {wrong[0]!r}; expected S start, G goal, . floor, "
                "~ ice or # wall"
            )
        if len(row) != len(rows[0]):
            raise ConfigError(
                f"map, row {number} has {len(row)} signs; expected {len(rows[0])}, as in row 0"
            )
    for sign, what in ((START, "start S"), (GOAL, "goal G")):
        if not any(sign in row for row in rows):
            raise ConfigError(f"the map {'/'.join(rows)!r} has no {what}; expected one at least")
    return [(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign != WALL]
