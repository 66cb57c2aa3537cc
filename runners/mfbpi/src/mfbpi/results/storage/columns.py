"""Columns of a table from Python values, without pandas.

``pyarrow.array`` asks whether what it is given is of pandas, and imports it to be able to tell:
half a second in every process that stores a run, wherever pandas is installed. Buffers are taken
as they are.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence, Sized
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa

#: Codes of the kinds of number, for arrays that refuse what is of another kind.
_CODES = {pa.int64(): "q", pa.float64(): "d"}


def column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Values as Arrow keeps them; none may be missing.

    Args:
        values: texts, numbers, or sequences of numbers.
        kind: what they are: a dictionary of texts, int64, float64, or lists of one of these.

    Raises:
        TypeError: when a value is no such thing, such as a real number for an integer.
        OverflowError: when an integer has more than 64 bits.
    """
    if pa.types.is_dictionary(kind):
        return _texts([value.encode() for value in values]).dictionary_encode()
    if pa.types.is_list(kind):
        ends = pa.Array.from_buffers(pa.int32(), len(values) + 1, [None, _ends(values)])
        return pa.ListArray.from_arrays(ends, column([*chain(*values)], kind.value_type))
    return pa.Array.from_buffers(
        kind, len(values), [None, pa.py_buffer(array(_CODES[kind], values))]
    )


def _texts(encoded: Sequence[bytes]) -> pa.Array:
    buffers = [None, _ends(encoded), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)


def _ends(parts: Sequence[Sized]) -> pa.Buffer:
    """Where each part begins, and where the last one ends; int32."""
    return pa.py_buffer(array("i", [0, *accumulate(map(len, parts))]))
