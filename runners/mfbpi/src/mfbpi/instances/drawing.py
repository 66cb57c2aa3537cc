"""The picture of an instance: V*, the best actions and the gaps, where its states are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi.instances.scenes import links
from mfbpi.results.drawing import figures
from mfbpi.results.storage.files import atomic_write
from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mfbpi_lib_tabular.analysis.layout import Layout


#: What a picture can be written as.
ENDINGS = (".png", ".svg", ".pdf")

#: Most characters of a name in the picture.
_NAME = 12


def instance(
    mdp: TabularMDP,
    discount: float,
    positions: npt.NDArray[np.int64] | None = None,
    state_names: Sequence[str] | None = None,
) -> Figure:
    """V* with an arrow for each best action, and the smallest gap of each state.

    Args:
        mdp: the instance.
        discount: gamma.
        positions: where its states are, if that is known.
        state_names: what they are called.

    Returns:
        A matplotlib figure.

    Raises:
        UsageError: when matplotlib is not installed, or the instance is too large a graph.
    """
    from mfbpi_lib_tabular.solution import gaps, planning

    found = gaps.separate(mdp, planning.solve(mdp, discount), discount)
    least = np.where(found.optimal, np.inf, found.gaps).min(axis=1)  # [S]
    kept = np.isfinite(least) & ~mdp.terminal
    best = [("0.55", s, a) for s, a in np.argwhere(found.optimal & ~mdp.terminal[:, None])]
    own = [("black", s, found.policy[s]) for s in np.flatnonzero(~mdp.terminal)]
    several = int((found.optimal.sum(axis=1) > 1)[~mdp.terminal].sum())
    note = f"; grey: as good, in {several} state{'' if several == 1 else 's'}" if several else ""
    return _drawn(
        mdp,
        positions,
        _texts(mdp, state_names),
        [
            (
                f"V* at discount {discount:g}, and the best action{note}",
                "V*",
                _open(mdp, found.values),
                False,
            ),
            ("smallest gap of a worse action", "gap", np.where(kept, least, np.nan), True),
        ],
        [*best, *own],
    )


def policy(
    mdp: TabularMDP,
    discount: float,
    actions: npt.NDArray[np.int64],
    positions: npt.NDArray[np.int64] | None = None,
    state_names: Sequence[str] | None = None,
) -> Figure:
    """The value of a policy with its arrows, and what it loses; as :func:`instance`."""
    from mfbpi_lib_tabular.solution import planning

    values = planning.evaluate_policy(mdp, actions, discount)
    loss = np.maximum(planning.solve(mdp, discount).values - values, 0.0)
    return _drawn(
        mdp,
        positions,
        _texts(mdp, state_names),
        [
            (f"value of the policy at discount {discount:g}", "value", _open(mdp, values), False),
            ("what it loses", "V* - value", _open(mdp, loss), False),
        ],
        [("black", s, actions[s]) for s in np.flatnonzero(~mdp.terminal)],
    )


def write(figure: Figure, file: Path) -> None:
    """Write a figure as its ending says; raises :class:`UsageError`."""
    if file.suffix.lower() not in ENDINGS:
        raise UsageError(f"`plot` {file}: expected a name that ends in {', '.join(ENDINGS)}")
    try:
        atomic_write(file, figures.content(figure, file.suffix.lower()[1:]))
    except OSError as error:
        raise UsageError(f"cannot write the plot {file}: {error.strerror or error}") from error


def write_gif(frames: Sequence[npt.NDArray[np.uint8]], per_second: float, file: Path) -> None:
    """Write pictures of one size to a GIF that plays for ever; raises :class:`UsageError`."""
    try:
        from mfbpi_lib_figures import animation
    except ModuleNotFoundError as error:
        raise UsageError("`gif` needs Pillow: pip install 'mfbpi[plot]'") from error
    if file.suffix.lower() != ".gif":
        raise UsageError(f"`gif` {file}: expected a name that ends in .gif")
    try:
        atomic_write(file, animation.gif(frames, per_second))
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror or error}") from error


def _open(mdp: TabularMDP, values: FloatArray) -> FloatArray:
    """The values of states that are no ends, whose zero would hide what matters."""
    return np.where(mdp.terminal, np.nan, values)


def _texts(mdp: TabularMDP, names: Sequence[str] | None) -> list[str]:
    shown = map(str, range(mdp.n_states)) if names is None else names
    return [name if len(name) <= _NAME else f"{name[:_NAME]}..." for name in shown]


def _drawn(
    mdp: TabularMDP,
    positions: npt.NDArray[np.int64] | None,
    texts: list[str],
    panels: Sequence[tuple[str, str, FloatArray, bool]],
    arrows: Sequence[tuple[str, Any, Any]],
) -> Figure:
    try:
        from mfbpi_lib_figures import places
    except ModuleNotFoundError as error:
        raise UsageError("`plot` needs matplotlib: pip install matplotlib") from error
    from mfbpi_lib_tabular.analysis import layout

    found = layout.layout(mdp, positions)
    directions = np.array([_direction(mdp, found, int(s), int(a)) for _, s, a in arrows])
    first, *others = [
        places.Panel(title=title, label=label, values=values, logarithmic=log, texts=texts)
        for title, label, values, log in panels
    ]
    pointed = attrs.evolve(
        first,
        arrows=directions.reshape(-1, 2),
        of=np.array([s for _, s, _ in arrows], dtype=np.int64),
        colours=[colour for colour, _, _ in arrows],
    )
    return places.draw(
        found.places, [pointed, *others], links(mdp) if found.shape == "graph" else ()
    )


def _direction(mdp: TabularMDP, found: Layout, s: int, a: int) -> FloatArray:
    """Where an action leads: on average, or in a graph to the likeliest of the other states."""
    steps = np.nan_to_num(found.places[mdp.successors[s, a]] - found.places[s])  # [K, 2]
    weights = mdp.probabilities[s, a]
    if found.shape != "graph":
        return np.asarray(weights @ steps, dtype=np.float64)
    away = np.where(mdp.successors[s, a] == s, 0.0, weights)
    return steps[int(away.argmax())] if away.any() else np.zeros(2)
