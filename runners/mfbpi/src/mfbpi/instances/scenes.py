"""Where an episode is, as a text or a picture.

Signs: ``@`` for the present state, ``#`` for an end or a wall, ``.`` for any other. States have
places where the environment says so (``positions``); a one-hot grid is itself; others stand in one
row of a text, and in the picture of a graph.
"""

from __future__ import annotations

import functools
import math

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data.arrays import Array
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.problem import Observation
from mfbpi_core.errors import RequirementError

Picture = npt.NDArray[np.uint8]
Marks = npt.NDArray[np.int64]

#: Signs of a state, the present one, an end or a wall; their colours; and that of links.
SIGNS = ".@#"
COLOURS = np.array([[222, 226, 230], [25, 113, 194], [73, 80, 87]], dtype=np.uint8)
LINK = 173

#: Pixels along a cell; along the picture of a graph, around it, and of the radius of a state.
PIXELS = 24
GRAPH, MARGIN, RADIUS = 480, 24, 9


def text(environment: Environment, shown: Observation) -> str:
    """Lines of signs.

    Args:
        environment: where the episode takes place.
        shown: the present observation.

    Raises:
        NotImplementedError: where observations are arrays that are no grid.
    """
    marks = _marks(environment, shown)
    if marks is None:
        raise NotImplementedError(f"{_called(environment)} has no picture")
    return "\n".join("".join(SIGNS[mark] for mark in row) for row in marks) + "\n"


def is_picture_only(environment: Environment) -> bool:
    """Whether there is no text: observations are arrays that cannot be a grid."""
    return environment.n_states is None and len(environment.observation_shape) != 2


@attrs.define(slots=False)
class Scenery:
    """Pictures of an environment."""

    environment: Environment

    def picture(self, shown: Observation) -> Picture:
        """The environment's own, cells of a grid, or a graph; uint8 [height, width, 3].

        Raises:
            NotImplementedError: where there is none.
        """
        own = self.environment.picture()
        if own is not None:
            return own
        if self.environment.n_states is not None and self._graph is not None:
            return self._graph.picture(int(shown))
        marks = _marks(self.environment, shown)
        if marks is None:
            raise NotImplementedError(f"{_called(self.environment)} has no picture")
        return cells(_block(marks))

    @functools.cached_property
    def _graph(self) -> Graph | None:
        """For states without places that are no chain; None for too many of them."""
        from mfbpi_lib_tabular.analysis import layout

        model = self.environment.model
        if model is None:
            return None
        try:
            found = layout.layout(model, self.environment.positions)
        except RequirementError:
            return None
        return Graph(model, found.places) if found.shape == "graph" else None


def cells(marks: Marks) -> Picture:
    """A square for each mark, lines between."""
    drawn = COLOURS[marks].repeat(PIXELS, axis=0).repeat(PIXELS, axis=1)
    drawn[::PIXELS] = drawn[:, ::PIXELS] = 255
    return drawn


class Graph:
    """States as discs, and a line between those that follow each other."""

    def __init__(self, mdp: TabularMDP, places: npt.NDArray[np.float64]) -> None:
        low, high = places.min(axis=0), places.max(axis=0)
        size = max(float((high - low).max()), 1e-9)
        inside = GRAPH - 2 * MARGIN
        centred = (places - (low + high) / 2.0) / size * inside + GRAPH / 2.0
        self.places = np.round(centred).astype(np.int64)  # [S, 2], right and down
        self.terminal = mdp.terminal
        self.ground = np.full((GRAPH, GRAPH, 3), 255, dtype=np.uint8)
        for s, successor in links(mdp):
            self._line(self.places[s], self.places[successor])
        self.down, self.right = np.mgrid[-RADIUS : RADIUS + 1, -RADIUS : RADIUS + 1]
        for s in range(mdp.n_states):
            self._disc(self.ground, s, 2 if self.terminal[s] else 0)

    def picture(self, state: int) -> Picture:
        """The picture with the present state."""
        drawn = self.ground.copy()
        self._disc(drawn, state, 1)
        return drawn

    def _line(self, start: Marks, end: Marks) -> None:
        count = int(np.abs(end - start).max()) + 1
        points = np.round(np.linspace(start, end, count)).astype(np.int64)
        self.ground[points[:, 1], points[:, 0]] = LINK

    def _disc(self, drawn: Picture, state: int, mark: int) -> None:
        right, down = self.places[state]
        inside = self.down**2 + self.right**2 <= RADIUS**2
        drawn[(down + self.down)[inside], (right + self.right)[inside]] = COLOURS[mark]


def links(mdp: TabularMDP) -> list[tuple[int, int]]:
    """Pairs of states that follow each other, each once."""
    used = np.argwhere(mdp.probabilities > 0.0)
    ends = mdp.successors[tuple(used.T)]
    pairs = zip(used[:, 0].tolist(), ends.tolist(), strict=True)
    return sorted({(min(s, t), max(s, t)) for s, t in pairs if s != t})


def _marks(environment: Environment, shown: Observation) -> Marks | None:
    """Numbers of :data:`SIGNS`, in rows; None for arrays that are no grid."""
    if environment.n_states is None:
        grid = np.asarray(shown)
        return np.atleast_2d(grid != 0).astype(np.int64) if _is_one_hot(grid) else None
    model, positions = environment.model, environment.positions
    marks = np.zeros(environment.n_states, dtype=np.int64)
    if model is not None:
        marks[model.terminal] = 2
    marks[int(shown)] = 1
    if positions is None:
        return marks[None]
    has_place = (positions >= 0).all(axis=1)
    drawn = np.full(positions.max(axis=0) + 1, 2, dtype=np.int64)
    drawn[tuple(positions[has_place].T)] = marks[has_place]
    return drawn


def _block(marks: Marks) -> Marks:
    """A long row as several."""
    rows, columns = marks.shape
    if rows > 1 or columns <= GRAPH // PIXELS * 2:
        return marks
    side = math.ceil(math.sqrt(columns))
    padded = np.full(side * side, 2, dtype=np.int64)
    padded[:columns] = marks[0]
    return padded.reshape(side, side)


def _is_one_hot(grid: Array) -> bool:
    single = np.isin(grid, (0, 1)).all() and np.count_nonzero(grid) <= 1
    return grid.ndim == 2 and bool(single)


def _called(environment: Environment) -> str:
    return type(environment).__name__
