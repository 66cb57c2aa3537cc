"""Allocations in files: numpy's, or the JSON that ``mfbpi bound --json`` prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mfbpi.instances import model_file
from mfbpi_core.data import arrays
from mfbpi_core.errors import ModelError, UsageError

#: Entries this little below zero are rounding.
_ROUNDING = 1e-6


def read(file: Path, shape: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Read an allocation and divide it by its sum; float64 [S, A].

    Args:
        file: ``.npy``, ``.npz`` (array ``allocation``), or JSON with the key ``allocation``.
        shape: (S, A).

    Raises:
        UsageError: naming the file, and the entry at fault.
    """
    try:
        weights = arrays.finite("allocation", _content(file))
    except ModelError as error:
        raise UsageError(f"{file}: {error}") from error
    if weights.shape != shape:
        hint = "; it looks like [A, S], so transpose it" if weights.shape == shape[::-1] else ""
        raise UsageError(
            f"{file} holds an array of shape {weights.shape}; expected {shape} = [S, A]{hint}"
        )
    weights[(weights < 0.0) & (weights >= -_ROUNDING)] = 0.0
    if not (weights >= 0.0).all() or not np.isclose(weights.sum(), 1.0):
        least = arrays.first(weights == weights.min())
        raise UsageError(
            f"{file} holds numbers with minimum {weights.min():.3g} and sum {weights.sum():.6g}; "
            "expected a distribution: entries of 0 or more that sum to 1 "
            f"({arrays.entry('allocation', least)} is {weights[least]:.3g})"
        )
    return weights / weights.sum()


def _content(file: Path) -> Any:
    try:
        if file.suffix == ".npz":
            return model_file.read_array(file, "allocation")
        if file.suffix == ".npy":
            with file.open("rb") as opened:
                return np.lib.format.read_array(opened, allow_pickle=False)
        return json.loads(file.read_text(encoding="utf-8-sig"))["allocation"]
    except FileNotFoundError as error:
        raise UsageError(
            f"there is no file {file}; `allocation` takes optimal, uniform or a file"
        ) from error
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        raise UsageError(f"{file} holds no allocation that can be read ({error})") from error
