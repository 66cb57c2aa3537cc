"""Models as arrays in files of numpy's, ``.npz``; pickled objects are refused."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from mfbpi_core import TabularMDP
from mfbpi_core.data.arrays import Array
from mfbpi_core.errors import ModelError, UsageError

Arrays = dict[str, Array]

#: Arrays of a model: those that it must have, and those that it may have.
REQUIRED, OPTIONAL = ("P", "R"), ("initial", "terminal", "reward_range")

#: What a file may say beside the model's numbers.
BESIDE = ("reward_law", "discount", "states", "actions")

KNOWN = (*REQUIRED, *OPTIONAL, *BESIDE)


@attrs.frozen(kw_only=True, eq=False)
class Found:
    """A model, and what its file says beside it; None for what it does not say.

    Attributes:
        mdp: the model.
        discount: gamma, in (0, 1).
        states: names of the states.
        actions: names of the actions.
    """

    mdp: TabularMDP
    discount: float | None
    states: tuple[str, ...] | None
    actions: tuple[str, ...] | None


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


def model(file: Path, arrays: Arrays, given: Mapping[str, object]) -> Found:
    """The model of a file's arrays; what is ``given`` goes before what they say.

    Raises:
        UsageError: naming the file, and the array or the pair (s, a) at fault.
    """
    optional: dict[str, Any] = {name: arrays[name] for name in OPTIONAL if name in arrays}
    if "reward_law" in arrays:
        optional["reward_law"] = str(arrays["reward_law"])
    try:
        mdp = TabularMDP.from_dense(arrays["P"], arrays["R"], **{**optional, **given})
    except ModelError as error:
        raise UsageError(f"{file}: {error}") from error
    return Found(
        mdp=mdp,
        discount=_discount(file, arrays),
        states=_names(file, arrays, "states", mdp.n_states),
        actions=_names(file, arrays, "actions", mdp.n_actions),
    )


def _discount(file: Path, arrays: Arrays) -> float | None:
    if "discount" not in arrays:
        return None
    found = arrays["discount"]
    if found.size != 1 or found.dtype.kind not in "iuf" or not 0.0 < found.item() < 1.0:
        raise UsageError(
            f"{file}: discount is {np.array2string(found, threshold=4):.60}; expected one number "
            "strictly between 0 and 1"
        )
    return float(found.item())


def _names(file: Path, arrays: Arrays, key: str, count: int) -> tuple[str, ...] | None:
    if key not in arrays:
        return None
    names = tuple(map(str, arrays[key].reshape(-1)))
    if len(names) != count or len(set(names)) < len(names):
        raise UsageError(
            f"{file}: {key} has {len(names)} names, {len(set(names))} of them distinct; expected "
            f"{count} distinct ones"
        )
    return names
