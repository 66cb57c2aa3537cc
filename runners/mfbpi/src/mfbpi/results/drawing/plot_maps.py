"""Maps of where agents went, from the arrays that runs kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mfbpi.results.loaded import Array
from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.errors import UsageError

#: Counts of visits by cell, the most telling first: of the first one kept in an environment there
#: are maps. What has an axis for actions behind a grid is summed over it.
_VISITS = ("choices", "visits", "pair_visits")

#: Counts by state and action, and the allocation that they are compared with.
_PAIRS, _OPTIMUM = "pair_visits", "optimal_allocation"

#: Between the names of two variables whose visits are counted together.
_BY = "|"

#: Cells in a row are drawn up to this many; more are narrower than a line.
_WIDEST = 2000

_WITHOUT = (
    "the runs kept no counts of visits, which maps are drawn from; run them with `arrays`, and "
    "with a metric that counts, such as visit_entropy or allocation"
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(kept: Sequence[Array]) -> tuple[list[tuple[str, Figure]], str]:
    """Maps by stem, and a sentence where there are none."""
    from mfbpi_lib_figures.maps import heat_maps

    drawn = []
    for env in dict.fromkeys(each.env for each in kept):
        for stem, maps, label in _of_environment([each for each in kept if each.env == env]):
            if any((values > 0.0).any() for values in maps.values()):
                drawn.append((f"{stem}_{env}", heat_maps(maps, label)))
    return drawn, "" if drawn else _WITHOUT


def _of_environment(kept: Sequence[Array]) -> Iterator[tuple[str, dict[str, FloatArray], str]]:
    """Stem, maps by title, and label of each figure of one environment."""
    names = dict.fromkeys(each.name for each in kept)
    steps = "number of visits"
    for name in names:
        if _BY in name:
            down, across = name.split(_BY, 1)
            by = f"{down} (rows) and {across} (columns)"
            yield f"visits_{down}_{across}", _by_agent(kept, name, f", by {by}"), steps
    for name in [name for name in _VISITS if name in names][:1]:
        maps = _by_agent(kept, name)
        if all(values.ndim > 1 or len(values) <= _WIDEST for values in maps.values()):
            yield "visits", maps, steps
    if _OPTIMUM in names and _PAIRS in names:
        yield "allocation", _compared(kept), "share of the samples"


def _compared(kept: Sequence[Array]) -> dict[str, FloatArray]:
    """The optimum, and below it the shares of the samples that the agents took."""
    optima = _distinct(each.values for each in kept if each.name == _OPTIMUM)
    title = f"{kept[0].env}: optimal allocation"
    if len(optima) > 1:
        title += f", mean of {len(optima)} different ones"
    shares = {
        agent: counts / max(counts.sum(), 1.0) for agent, counts in _by_agent(kept, _PAIRS).items()
    }
    return {title: np.mean(optima, axis=0), **shares}


def _distinct(arrays: Iterable[FloatArray]) -> list[FloatArray]:
    return list({values.tobytes(): values for values in arrays}.values())


def _by_agent(kept: Sequence[Array], name: str, more: str = "") -> dict[str, FloatArray]:
    """The mean over seeds of each agent's array, by title."""
    found: dict[str, dict[str, list[FloatArray]]] = {}
    for each in kept:
        if each.name == name:
            # Several metrics may keep the same counts.
            metrics = found.setdefault(each.agent, {})
            metrics.setdefault(each.metric, []).append(each.values)
    titles = {}
    for agent, metrics in found.items():
        seeds = max(metrics.values(), key=len)
        what = f"mean over n = {len(seeds)} seeds" if len(seeds) > 1 else "one seed"
        titles[f"{kept[0].env}: {agent}, {what}{more}"] = _mean(agent, name, seeds)
    return titles


def _mean(agent: str, name: str, seeds: Sequence[FloatArray]) -> FloatArray:
    """The mean, of a grid with actions summed over them."""
    shapes: Mapping[tuple[int, ...], None] = {values.shape: None for values in seeds}
    if len(shapes) > 1:
        raise UsageError(
            f"the arrays {name!r} of {agent} have shapes {' and '.join(map(str, shapes))}; "
            "expected one shape for all seeds"
        )
    mean: FloatArray = np.mean(seeds, axis=0)
    return mean.sum(axis=2) if mean.ndim == 3 else mean
