"""What an environment of Gymnasium hands over, as numbers: exactly, or refused in a sentence.

Gymnasium's own checker is left out (:mod:`.making`), and ``int``, ``float`` and ``bool`` would make
a wrong number of nearly everything: 1 of 1.75 or of "1", True of "False" or of NaN.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from gymnasium import spaces

from mfbpi_core.data import exact
from mfbpi_core.data.arrays import Array
from mfbpi_core.errors import PluginError

#: Kinds of numpy's types that are real numbers: truth values, integers, floating point.
_REAL = "biuf"


def reward(value: object, name: str) -> float:
    """A reward; raises :class:`PluginError` for all but a real number."""
    if type(value) is float:  # as nearly always
        return value
    number = exact.real(_as_numpy(value))
    if number is None:
        raise PluginError(
            f"step of {name} returned the reward {exact.shown(value)}; expected a real number, "
            "not an array of them or a text, as Gymnasium's API says"
        )
    return number


def flag(what: str, value: object, name: str) -> bool:
    """``terminated`` or ``truncated``; raises :class:`PluginError` for what is no truth value."""
    if type(value) is bool:
        return value
    known = exact.flag(_as_numpy(value))
    if known is None:
        raise PluginError(
            f"step of {name} returned {exact.shown(value)} as {what}; expected True or False, as "
            "Gymnasium's API says"
        )
    return known


def numbers(space: spaces.Space[object], value: object) -> Iterator[Any]:
    """The numbers in a value of a space, in the order in which Gymnasium flattens it.

    Raises:
        ValueError: for a value that is not of the space, with what was expected. Numbers of a Box
            may be beyond its ends.
    """
    if isinstance(space, spaces.Tuple | spaces.Dict):
        for part, inner in _parts(space, value):
            yield from numbers(part, inner)
    elif isinstance(space, spaces.Discrete):
        yield whole(space, value)
    else:
        yield from array(space, value).reshape(-1)


def whole(space: spaces.Discrete, value: object) -> int:
    """An integer of the space; raises :class:`ValueError` with what was expected.

    Python's truth values are integers for Gymnasium, so they are here.
    """
    found = int(value) if type(value) is bool else exact.whole(_as_numpy(value))
    first, last = int(space.start), int(space.start + space.n) - 1
    if found is None or not first <= found <= last:
        raise ValueError(f"a state, an integer from {first} to {last}")
    return found


def array(space: spaces.Space[object], value: object) -> Array:
    """An array of the space's shape; raises :class:`ValueError` with what was expected."""
    shape = space.shape or ()
    integers = isinstance(space, spaces.MultiDiscrete)
    try:
        found = np.asarray(value)
    except Exception:  # whatever makes arrays of itself, or lists of unequal lengths
        found = np.array(None)
    if found.shape != shape or found.dtype.kind not in ("biu" if integers else _REAL):
        raise ValueError(f"{'integers' if integers else 'numbers'} of shape {shape}")
    if isinstance(space, spaces.MultiDiscrete):
        first = np.broadcast_to(space.start, space.nvec.shape)
        if ((found < first) | (found >= first + space.nvec)).any():
            raise ValueError(
                f"integers from {first.tolist()} to {(first + space.nvec - 1).tolist()}"
            )
    if isinstance(space, spaces.MultiBinary) and not ((found == 0) | (found == 1)).all():
        raise ValueError("zeros and ones")
    return found


def wrong(value: object, expected: object, space: spaces.Space[object], name: str) -> PluginError:
    """The error for an observation that is not of its space."""
    return PluginError(
        f"{name} returned the observation {exact.shown(value)}; expected {expected}, as its "
        f"observation_space {exact.shown(space)} says"
    )


def _parts(
    space: spaces.Tuple[Any] | spaces.Dict, value: Any
) -> Iterator[tuple[spaces.Space[Any], object]]:
    """The spaces in a space, each with its part of a value; raises :class:`ValueError`."""
    if isinstance(space, spaces.Dict):
        for key, part in space.spaces.items():
            try:
                yield part, value[key]
            except (KeyError, TypeError, IndexError):
                raise ValueError(f"a dictionary with the key {key!r}") from None
        return
    if not isinstance(value, tuple | list | np.ndarray) or len(value) != len(space.spaces):
        raise ValueError(f"a tuple of {len(space.spaces)}")
    yield from zip(space.spaces, value, strict=True)


def _as_numpy(value: Any) -> object:
    """What arrays of other libraries hold, such as a reward of torch's."""
    if isinstance(value, np.generic | np.ndarray) or not hasattr(value, "__array__"):
        return value
    try:
        return np.asarray(value)
    except Exception:  # such as one on a device: it is refused as what it is
        return value
