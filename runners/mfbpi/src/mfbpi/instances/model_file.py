"""Models and arrays in files of numpy's."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from mfbpi.notices import warn
from mfbpi.plan.settings import parse_settings
from mfbpi_core.contracts import parameters as config
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import ConfigError, ModelError, UsageError

Array = np.ndarray[Any, Any]

#: Arrays of a model: those that it must have, and those that it may have.
_REQUIRED, _OPTIONAL = ("P", "R"), ("initial", "terminal", "reward_range")


@attrs.frozen(kw_only=True)
class Settings:
    """What the command line may say of a model in a file; it goes before what the file says."""

    reward_range: tuple[float, ...] | None = config.parameter(
        None, "lowest and highest reward; the file's, or 0 and 1"
    )


def read(file: Path, settings: Sequence[str] = ()) -> TabularMDP:
    """Read a model from an .npz file; its rewards are taken as deterministic means.

    Args:
        file: holds the arrays P and R, and perhaps initial, terminal and reward_range.
        settings: ``KEY=VALUE`` texts of the command line, see :class:`Settings`.

    Raises:
        UsageError: naming the file, and the array or the pair (s, a) at fault.
    """
    given = {key: value for key, value in attrs.asdict(_settings(settings)).items() if value}
    arrays = read_arrays(file)
    missing = [name for name in _REQUIRED if name not in arrays]
    if missing:
        raise UsageError(
            f"{file} lacks {' and '.join(missing)}; it has the arrays: "
            f"{', '.join(arrays) or 'none'}; expected P [S,A,S] and R [S,A] or [S,A,S]"
        )
    unknown = [name for name in arrays if name not in _REQUIRED + _OPTIONAL]
    if unknown:
        known = ", ".join(_REQUIRED + _OPTIONAL)
        warn(f"{file}: ignored arrays: {', '.join(unknown)}; known are {known}")
    optional: dict[str, Any] = {name: arrays[name] for name in _OPTIONAL if name in arrays}
    try:
        return TabularMDP.from_dense(arrays["P"], arrays["R"], **{**optional, **given})
    except ModelError as error:
        raise UsageError(f"{file}: {error}") from error


def _settings(texts: Sequence[str]) -> Settings:
    parsed = parse_settings("environment_settings", texts)
    named = {".".join(filter(None, (s.target, s.key))): s.value for s in parsed}
    try:
        return config.parse(Settings, named)
    except ConfigError as error:
        raise UsageError(
            "`environment_settings` sets parameters of an environment; of a file, only "
            f"reward_range=LOW,HIGH: {error}"
        ) from error


def read_array(file: Path, name: str) -> Array:
    """One array of an .npz file."""
    arrays = read_arrays(file)
    if name not in arrays:
        raise UsageError(f"{file} has no array {name!r}; it has: {', '.join(arrays) or 'none'}")
    return arrays[name]


def read_arrays(file: Path) -> dict[str, Array]:
    """Every array of an .npz file; pickled objects are refused."""
    try:
        with zipfile.ZipFile(file):
            pass  # np.load reads other kinds of files too
        with np.load(file, allow_pickle=False) as loaded:
            return {name: np.asarray(loaded[name]) for name in loaded.files}
    except FileNotFoundError as error:
        raise UsageError(f"there is no file {file}") from error
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise UsageError(f"{file} is not an .npz file of plain arrays ({error})") from error
