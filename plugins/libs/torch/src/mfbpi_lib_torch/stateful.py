"""Saving and restoring: each object names what learning changes, and nothing else is saved."""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from mfbpi_core.data import exact
from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import CheckpointError
from mfbpi_core.running.generators import check_class, restore_generator, state_with_seeds
from mfbpi_core.running.state import copied
from mfbpi_lib_torch.late import torch

#: The range of what is counted from 0: numbers that float64 tells apart.
COUNTED = (0, 2**53)

#: That of what is 0 or more.
NOT_NEGATIVE = (0.0, sys.float_info.max)


class Stateful:
    """An object whose attributes named in ``saved`` make up its state.

    Arrays and tensors are saved as arrays and restored in place, on whatever device they live, so
    that views stay views. Other attributes may be generators, plain values, stateful objects or
    lists of these.
    """

    saved: ClassVar[tuple[str, ...]] = ()

    #: By the name of an attribute, the cached properties that are made of it.
    views: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Without what is derived: a view that is copied would be one of other memory.

        Raises:
            CheckpointError: when a generator would come back as one of another class.
        """
        kind, derived = type(self), functools.cached_property
        for name, value in vars(self).items():
            if isinstance(value, np.random.Generator):
                check_class(value, f"{kind.__name__}.{name}")
        own = vars(self).items()
        return {n: v for n, v in own if not isinstance(getattr(kind, n, None), derived)}

    def __setattr__(self, name: str, value: object) -> None:
        """Replace an attribute; views of the one before are forgotten."""
        if name in self.views and vars(self).get(name) is not value:
            for view in self.views[name]:
                vars(self).pop(view, None)
        super().__setattr__(name, value)

    def ranges(self) -> dict[str, tuple[float, float]]:
        """The least and the largest of saved numbers: formulas and indices rely on them.

        Where both are integers, so are the numbers between them.
        """
        return {}

    def state_dict(self) -> StateDict:
        """The state as a copy."""
        return {n: _save(getattr(self, n), f"{type(self).__name__}.{n}") for n in self.saved}

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned; ``state`` is neither kept nor changed.

        Raises:
            CheckpointError: when the state is that of another kind of object or of other sizes,
                or a number is out of its range.
        """
        if set(state) != set(self.saved):
            raise CheckpointError(
                f"the saved state of {type(self).__name__} has {sorted(state)}; "
                f"expected {sorted(self.saved)}"
            )
        ranges = self.ranges()
        for name in self.saved:
            place = f"{type(self).__name__}.{name}"
            own = getattr(self, name)
            restored = _restored(own, state[name], place)
            if name in ranges:
                restored = _in_range(place, restored, state[name], *ranges[name])
            if restored is not own:  # what was restored in place may be offered without a setter
                setattr(self, name, restored)


def _save(value: Any, place: str) -> Any:
    if isinstance(value, Stateful):
        return value.state_dict()
    if isinstance(value, list):
        return [_save(item, f"{place}[{i}]") for i, item in enumerate(value)]
    if _is_tensor(value):
        plain = value.detach().to("cpu", copy=True)
        return (plain.float() if plain.dtype == torch.bfloat16 else plain).numpy()
    if isinstance(value, np.random.Generator):
        return state_with_seeds(value, place)
    return copied(value, place)


def _restored(own: Any, saved: Any, place: str) -> Any:
    """``own`` with the saved content: the same object where it can be changed in place."""
    if isinstance(own, Stateful):
        own.load_state_dict(saved)
    elif isinstance(own, list):
        _check(place, _kind(own), _kind(saved), "as its kind")
        _check(place, len(own), len(saved), "items")
        own[:] = [_restored(a, b, place) for a, b in zip(own, saved, strict=True)]
    elif _is_tensor(own):
        _check(place, tuple(own.shape), tuple(saved.shape), "as its shape")
        check_finite(place, np.asarray(saved))
        own.copy_(torch.as_tensor(saved))
    elif isinstance(own, np.ndarray):
        saved = np.asarray(saved)
        _check(place, own.shape, saved.shape, "as its shape")
        _check(place, own.dtype.kind, saved.dtype.kind, "as its kind of numbers")
        own[...] = saved
        check_finite(place, own)
    elif isinstance(own, np.random.Generator):
        restore_generator(own, saved)
    else:
        _check(place, _kind(own), _kind(saved), "as its kind")
        return copy.deepcopy(saved)
    return own


def _is_tensor(value: Any) -> bool:
    """Told by what it can do: to name its type would import torch."""
    return hasattr(value, "detach")


def _kind(value: object) -> str:
    """What a plain value is, as far as one that is saved can be told from one that is not."""
    if isinstance(value, bool | np.bool_):
        return "a truth value"
    if isinstance(value, int | float | np.number):
        return "a number"
    return type(value).__name__


def _in_range(place: str, restored: Any, saved: Any, least: float, largest: float) -> Any:
    """What was restored, if all that was saved of it is in range."""
    if type(least) is type(largest) is int and np.ndim(saved) == 0:
        return whole_number(place, saved, least, largest)
    numbers = np.asarray(saved)
    for extreme in (numbers.min(), numbers.max()) if numbers.size else ():
        if not least <= float(extreme) <= largest:
            expected = f"{least} to {largest}" if least < largest else least
            raise CheckpointError(f"the saved {place} is {extreme}; expected {expected}")
    return float(restored) if _kind(restored) == "a number" else restored


def whole_number(place: str, saved: Any, least: int, largest: int) -> int:
    """A saved count or place as Python's own integer: numpy's overflow."""
    number = exact.whole(saved)
    if number is None or not least <= number <= largest:
        raise CheckpointError(
            f"the saved {place} is {exact.shown(saved)}; expected {least} to {largest}, an integer"
        )
    return number


def check_finite(place: str, saved: npt.NDArray[Any]) -> None:
    """Refuse infinity and NaN: nothing that learns comes back from them."""
    if saved.dtype.kind == "f" and not np.isfinite(saved).all():
        raise CheckpointError(f"the saved {place} has numbers that are not finite; expected none")


def _check(place: str, expected: Any, found: object, what: str) -> None:
    if expected != found:
        raise CheckpointError(
            f"the saved {place} has {found} {what}; expected {expected} "
            "(load it into an agent with the same problem and parameters)"
        )
