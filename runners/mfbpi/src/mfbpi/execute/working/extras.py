"""What plugins tell beside the rows, at the end of a run: what cannot be kept loses no run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from mfbpi.execute.saving.restored import is_finite
from mfbpi.notices import warn
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.metric import Metric
from mfbpi_core.text import described, shortened

Arrays = dict[tuple[str, str], npt.NDArray[np.float64]]


def profile(agent: Agent, name: str) -> dict[str, float]:
    """The agent's profile; with a warning, without what is not a finite number with a name.

    Args:
        agent: the agent.
        name: how it is called, for messages.
    """
    found: dict[str, float] = {}
    with _left_out(f"the profile of {name}"):
        for key, value in _items(lambda: agent.profile):
            if type(key) is not str or not is_finite(value):
                warn(f"{name}: {_pair(key, value)} of its profile is left out; {_NUMBERS}")
                continue
            found[key] = int(value) if isinstance(value, int | np.integer) else float(value)
    return found


_NUMBERS = "expected finite numbers by name"


def arrays(metrics: Mapping[str, Metric]) -> Arrays:
    """The arrays of metrics, float64, by metric and name; with a warning, without what is none."""
    found: Arrays = {}
    for metric, built in metrics.items():
        with _left_out(f"what follows of the arrays of metric {metric}"):
            for name, values in _items(built.arrays):
                if type(name) is not str:
                    raise TypeError(f"an array is called {name!r}; expected a text")
                found[metric, name] = np.asarray(values, dtype=np.float64)
    return found


def _items(tell: Callable[[], object]) -> list[tuple[object, Any]]:
    told = tell()
    if not isinstance(told, Mapping):
        raise TypeError(f"it is {shortened(repr(told), 80)}; expected a dictionary")
    return list(told.items())


def _pair(key: object, value: object) -> str:
    return shortened(f"{key!r}: {value!r}", 80)


@contextmanager
def _left_out(what: str) -> Iterator[None]:
    """Go on without what raises, and say so."""
    try:
        yield
    except Exception as error:
        warn(f"{what} is left out: {described(error)}")
