"""Models and arrays in files of numpy's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from mfbpi.notices import warn
from mfbpi.plan.settings import parse_settings
from mfbpi_core.contracts import parameters as config
from mfbpi_core.data.arrays import Array
from mfbpi_core.errors import ConfigError, UsageError
from mfbpi_lib_tabular.models import arrays


@attrs.frozen(kw_only=True)
class Settings:
    """What the command line may say of a model in a file; it goes before what the file says."""

    reward_range: tuple[float, ...] | None = config.parameter(
        None, "lowest and highest reward; the file's, or 0 and 1"
    )


def read(file: Path, settings: Sequence[str] = ()) -> arrays.Found:
    """Read a model from an .npz file; its rewards are deterministic unless it says otherwise.

    Args:
        file: holds the arrays P and R, and perhaps others of ``arrays.KNOWN``.
        settings: ``KEY=VALUE`` texts of the command line, see :class:`Settings`.

    Raises:
        UsageError: naming the file, and the array or the pair (s, a) at fault.
    """
    given = {key: value for key, value in attrs.asdict(_settings(settings)).items() if value}
    found = arrays.read(file)
    missing = [name for name in arrays.REQUIRED if name not in found]
    if missing:
        raise UsageError(
            f"{file} lacks {' and '.join(missing)}; it has the arrays: "
            f"{', '.join(found) or 'none'}; expected P [S,A,S] and R [S,A] or [S,A,S]"
        )
    unknown = [name for name in found if name not in arrays.KNOWN]
    if unknown:
        known = ", ".join(arrays.KNOWN)
        warn(f"{file}: ignored arrays: {', '.join(unknown)}; known are {known}")
    return arrays.model(file, found, given)


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
    found = arrays.read(file)
    if name not in found:
        raise UsageError(f"{file} has no array {name!r}; it has: {', '.join(found) or 'none'}")
    return found[name]
