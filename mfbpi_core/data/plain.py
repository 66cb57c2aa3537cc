"""What is written to files and read back: named here, once, for whoever passes it on."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

#: What ``state_dict`` returns and ``load_state_dict`` takes: a tree of plain data and arrays, see
#: :mod:`mfbpi_core.running.state`. Who has saved it knows what is where.
StateDict: TypeAlias = dict[str, Any]

#: An object of a JSON file, such as a manifest or a provenance.
JsonObject: TypeAlias = dict[str, Any]


def plain(value: object) -> Any:
    """The number of Python that a scalar of numpy is, also in a tuple; other values as they are.

    Example:
        >>> plain(np.int64(6)), plain((np.float32(0.5), 1)), plain("x")
        (6, (0.5, 1), 'x')
    """
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return value.item()
    return value
