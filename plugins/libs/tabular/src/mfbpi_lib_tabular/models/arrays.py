"""Models as arrays in files of numpy's, ``.npz``; pickled objects are refused."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mfbpi_core import TabularMDP
from mfbpi_core.data.arrays import Array
from mfbpi_core.errors import ModelError, UsageError

Arrays = dict[str, Array]

#: Arrays of a model: those that it must have, and those that it may have.
REQUIRED, OPTIONAL = ("P", "R"), ("initial", "terminal", "reward_range")


def read(file: Path) -> Arrays:
    """Every array of a file; raises :class:`UsageError` naming it."""
    try:
        with zipfile.ZipFile(file):
            pass  # np.load reads other kinds of files too
        with np.load(file, allow_pickle=False) as loaded:
            return {name: np.asarray(loaded[name]) for name in loaded.files}
    except FileNotFoundError as error:
        raise UsageError(f"there is no file {file}") from error
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise UsageError(f"{file} is not an .npz file of plain arrays ({error})") from error


def model(file: Path, arrays: Arrays, given: Mapping[str, object]) -> TabularMDP:
    """The model of a file's arrays; what is ``given`` goes before what they say.

    Raises:
        UsageError: naming the file, and the array or the pair (s, a) at fault.
    """
    optional: dict[str, Any] = {name: arrays[name] for name in OPTIONAL if name in arrays}
    try:
        return TabularMDP.from_dense(arrays["P"], arrays["R"], **{**optional, **given})
    except ModelError as error:
        raise UsageError(f"{file}: {error}") from error
