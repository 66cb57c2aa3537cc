"""Types of arrays; and what people pass for arrays, made into numbers or refused in a sentence.

numpy would take text for numbers, drop the imaginary part of complex ones and the mask of masked
ones, and make an array of objects of anything else.
"""

from __future__ import annotations

import numbers
import reprlib
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from mfbpi_core.errors import ModelError

#: Of whatever kind; of float64, int64 and bool.
Array: TypeAlias = npt.NDArray[Any]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

#: Kinds of dtype that hold real numbers, and what the others hold.
_REAL = "biuf"
_OTHER = {
    "c": "complex numbers",
    "O": "objects",
    "U": "text",
    "S": "text",
    "V": "records",
    "M": "dates",
    "m": "durations",
}

#: What an environment shows: an integer, an array, or what its author likes.
Shown = TypeVar("Shown")


def owned(value: Shown) -> Shown:
    """A copy of an array, and anything else itself: whoever made it may write into it again."""
    return value.copy() if isinstance(value, np.ndarray) else value


def real(name: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """A fresh float64 array.

    Raises:
        ModelError: for anything but real numbers, naming the first entry that is none.
    """
    array = given(name, values)
    if array.dtype.kind not in _REAL:
        what = _OTHER.get(array.dtype.kind, str(array.dtype))
        raise ModelError(
            f"{name} must be an array of numbers, not of {what}: {_culprit(name, array)}"
        )
    return array.astype(np.float64)


def finite(name: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The same, and refuse NaN and infinity, naming the first."""
    array = real(name, values)
    if not np.isfinite(array).all():
        index = first(~np.isfinite(array))
        raise ModelError(f"{entry(name, index)} is {array[index]}; expected finite numbers")
    return array


def given(name: str, values: npt.ArrayLike) -> Array:
    """What was given as an array of any kind, perhaps the very same."""
    if isinstance(values, np.ma.MaskedArray) and values.mask.any():
        index = first(np.ma.getmaskarray(values))
        raise ModelError(f"{entry(name, index)} is masked; expected numbers everywhere")
    try:
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:  # the last of tensors with gradients
        kind = type(values).__name__
        raise ModelError(f"{name} must be an array of numbers ({kind}: {error})") from error


def first(condition: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    """Index of the first true entry."""
    return tuple(int(i) for i in np.argwhere(condition)[0])


def entry(name: str, index: tuple[int, ...]) -> str:
    """``name[1, 2]``, or the name of an array without axes."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def _culprit(name: str, array: Array) -> str:
    """The first entry that is no real number; of several that could be, the first."""
    if array.size == 0:
        return f"{name} is empty, of type {array.dtype}"
    if array.dtype.kind == "c":
        wrong = array.imag != 0.0
    else:
        flat = [not isinstance(value, numbers.Real) for value in array.reshape(-1).tolist()]
        wrong = np.array(flat).reshape(array.shape)
    index = first(wrong) if wrong.any() else (0,) * array.ndim
    value = array[index]
    if isinstance(value, np.generic):
        value = value.item()  # 1j and not np.complex128(1j)
    return f"{entry(name, index)} is {reprlib.repr(value)}"
