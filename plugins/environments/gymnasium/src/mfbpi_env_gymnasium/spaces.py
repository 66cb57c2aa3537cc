"""Spaces of Gymnasium as what agents here see and choose: integers, or arrays of numbers.

Observations come as integers (``Discrete``, its offset removed) or as arrays (``Box``, and all else
that ``gymnasium.spaces.flatten`` turns into one). For ``one_hot``, integers are flattened too. For
``cells``, whatever is finite keeps its values, each number of a ``Box`` is put into one of equally
wide cells, and the combinations are numbered, the first number being the slowest.

Actions are integers; those of ``MultiDiscrete``, ``MultiBinary``, ``Tuple`` and ``Dict`` spaces
are all combinations, numbered in the same way.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np
from gymnasium import spaces

from mfbpi_core.errors import ConfigError, RequirementError
from mfbpi_core.text import described
from mfbpi_env_gymnasium import values
from mfbpi_env_gymnasium.options import Options

#: No table can have more states, nor a list more actions.
MOST_STATES, MOST_ACTIONS = 2**24, 2**16

#: Spaces whose values are looked at here; Gymnasium has more that it flattens.
_KNOWN = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)

_NUMBERS = "Discrete, MultiDiscrete, MultiBinary, or a Tuple or Dict of them"


@attrs.frozen(kw_only=True)
class Shown:
    """How observations are shown.

    Attributes:
        n_states: number of states for integers, else None.
        shape: shape of an array, ``()`` for integers.
        convert: from Gymnasium's observation to what is shown, which is a copy.
    """

    n_states: int | None
    shape: tuple[int, ...]
    convert: Callable[[Any], Any]


def shown(space: spaces.Space[object], options: Options, name: str) -> Shown:
    """How the observations of a space are shown.

    Raises:
        RequirementError: for a space that cannot be shown so.
        ConfigError: where the ends of a grid are missing or wrong.
    """
    if options.observations == "cells":
        return _in_cells(space, options, name)
    if isinstance(space, spaces.Discrete) and options.observations == "auto":
        start, discrete = int(space.start), space
        return Shown(
            n_states=int(space.n),
            shape=(),
            convert=_of_space(space, name, lambda x: values.whole(discrete, x) - start),
        )
    if options.observations == "one_hot":
        _require_finite(space, name)
    if isinstance(space, spaces.Box):
        convert = _of_space(space, name, lambda x: np.array(values.array(space, x), np.float32))
        return Shown(n_states=None, shape=space.shape, convert=convert)
    return _flattened(space, name)


def _of_space(
    space: spaces.Space[object], name: str, convert: Callable[[Any], Any]
) -> Callable[[Any], Any]:
    """A conversion that says what was expected of an observation that is not of the space."""

    def converted(observation: object) -> Any:
        """What agents see; raises :class:`PluginError`."""
        try:
            return convert(observation)
        except ValueError as error:
            raise values.wrong(observation, error, space, name) from None

    return converted


def _flattened(space: spaces.Space[object], name: str) -> Shown:
    flat = spaces.flatten_space(space) if space.is_np_flattenable else None
    if not isinstance(flat, spaces.Box):
        raise RequirementError(
            f"observations of {name} are {space}, which Gymnasium does not flatten to an array; "
            f"expected Box, {_NUMBERS}"
        )
    known = all(isinstance(leaf, _KNOWN) for leaf in _leaves(space))

    def flatten(observation: object) -> Any:
        """The array; Gymnasium's one would wrap negative integers around."""
        if known:
            deque(values.numbers(space, observation), maxlen=0)
        try:
            return np.asarray(spaces.flatten(space, observation), dtype=np.float32)
        except Exception as error:
            raise ValueError(f"what Gymnasium flattens ({described(error)})") from error

    return Shown(n_states=None, shape=flat.shape, convert=_of_space(space, name, flatten))


def _require_finite(space: spaces.Space[object], name: str) -> None:
    if any(isinstance(leaf, spaces.Box) for leaf in _leaves(space)):
        raise RequirementError(
            f"observations of {name} are {space}, not integers; observations=one_hot expects "
            f"{_NUMBERS}"
        )


@attrs.frozen(kw_only=True)
class _Axis:
    """The values of one number: ``size`` of them from ``low``, ``width`` apart."""

    size: int
    low: float
    width: float = 1.0

    def digit(self, number: float) -> int:
        """Which of the values, or cells, a number is; those beyond the ends are in the last.

        Raises:
            ValueError: for NaN and infinity, with what was expected.
        """
        if not math.isfinite(number):
            raise ValueError("finite numbers, since NaN and infinity are in no cell")
        return int(min(max((number - self.low) // self.width, 0), self.size - 1))


def _in_cells(space: spaces.Space[object], options: Options, name: str) -> Shown:
    axes = _axes(space, options, name)
    total = 1
    for axis in axes:
        total *= axis.size
    if total > MOST_STATES:
        raise ConfigError(
            f"{len(axes)} numbers in cells={options.cells} cells each are {total:.3g} states; "
            f"expected at most {MOST_STATES:,}: give fewer cells"
        )

    def index(observation: object) -> int:
        """The number of the cell."""
        found = 0
        for axis, number in zip(axes, values.numbers(space, observation), strict=True):
            found = found * axis.size + axis.digit(float(number))
        return found

    return Shown(n_states=total, shape=(), convert=_of_space(space, name, index))


def _axes(space: spaces.Space[object], options: Options, name: str) -> list[_Axis]:
    boxes = [leaf for leaf in _leaves(space) if isinstance(leaf, spaces.Box)]
    count = sum(int(np.prod(box.shape)) for box in boxes)
    low = _ends("low", options.low, [number for box in boxes for number in box.low.flat], name)
    high = _ends("high", options.high, [number for box in boxes for number in box.high.flat], name)
    for number in range(count):
        if not low[number] < high[number]:
            raise ConfigError(
                f"number {number} of the observations of {name} goes from low={low[number]:g} to "
                f"high={high[number]:g}; expected the first to be smaller"
            )
    ends = iter(zip(low, high, strict=True))
    axes: list[_Axis] = []
    for leaf in _leaves(space):
        if isinstance(leaf, spaces.Box):
            for _ in range(int(np.prod(leaf.shape))):
                least, most = next(ends)
                width = (most - least) / options.cells
                axes.append(_Axis(size=options.cells, low=least, width=width))
        else:
            axes.extend(_Axis(size=size, low=start) for size, start in _sizes(leaf, name))
    return axes


def _ends(key: str, given: tuple[float, ...] | None, own: list[Any], name: str) -> list[float]:
    """The ends of a grid, as given or of the space; raises :class:`ConfigError`."""
    if given is not None and len(given) != len(own):
        raise ConfigError(
            f"{key} has {len(given)} numbers; the observations of {name} have {len(own)}"
        )
    ends = [float(number) for number in (own if given is None else given)]
    endless = [number for number, end in enumerate(ends) if abs(end) > 1e30]
    if endless:
        raise ConfigError(
            f"number {endless[0]} of the observations of {name} has no limits; for cells, give "
            f"low and high, {len(own)} numbers each, separated by commas"
        )
    return ends


def choices(space: spaces.Space[object], name: str) -> tuple[int, Callable[[int], Any]]:
    """The number of actions, and Gymnasium's action for each number.

    Raises:
        RequirementError: for actions that are not finitely many.
    """
    if isinstance(space, spaces.Discrete):
        start = int(space.start)
        return int(space.n), lambda action: start + action
    if any(isinstance(leaf, spaces.Box) for leaf in _leaves(space)):
        raise RequirementError(
            f"actions of {name} are continuous, {space}; expected discrete ones: {_NUMBERS}"
        )
    sizes = [pair for leaf in _leaves(space) for pair in _sizes(leaf, name)]
    total = 1
    for size, _ in sizes:
        total *= size
    if total > MOST_ACTIONS:
        raise RequirementError(
            f"actions of {name} are {space}, {total:.3g} combinations; expected at most "
            f"{MOST_ACTIONS:,}"
        )

    def action(number: int) -> Any:
        """The combination of that number."""
        digits: list[int] = []
        for size, start in reversed(sizes):
            digits.append(start + number % size)
            number //= size
        return _assembled(space, iter(reversed(digits)))

    return total, action


def _leaves(space: spaces.Space[object]) -> Iterator[spaces.Space[object]]:
    """The spaces inside tuples and dictionaries, in Gymnasium's order."""
    if isinstance(space, spaces.Tuple):
        for part in space.spaces:
            yield from _leaves(part)
    elif isinstance(space, spaces.Dict):
        for part in space.spaces.values():
            yield from _leaves(part)
    else:
        yield space


def _sizes(leaf: spaces.Space[object], name: str) -> list[tuple[int, int]]:
    """Number of values and first value, of each number in a finite space."""
    if isinstance(leaf, spaces.Discrete):
        return [(int(leaf.n), int(leaf.start))]
    if isinstance(leaf, spaces.MultiDiscrete):
        starts = np.broadcast_to(leaf.start, leaf.nvec.shape)
        return [(int(n), int(s)) for n, s in zip(leaf.nvec.flat, starts.flat, strict=True)]
    if isinstance(leaf, spaces.MultiBinary):
        return [(2, 0)] * int(np.prod(leaf.shape))
    raise RequirementError(f"{name} has a space {leaf}; expected {_NUMBERS}")


def _assembled(space: spaces.Space[object], digits: Iterator[int]) -> Any:
    """A value of a finite space from its numbers: :func:`.values.numbers`, back."""
    if isinstance(space, spaces.Tuple):
        return tuple(_assembled(part, digits) for part in space.spaces)
    if isinstance(space, spaces.Dict):
        return {key: _assembled(part, digits) for key, part in space.spaces.items()}
    if isinstance(space, spaces.Discrete):
        return next(digits)
    shape = space.shape or ()
    flat = [next(digits) for _ in range(int(np.prod(shape)))]
    return np.array(flat, dtype=space.dtype).reshape(shape)
