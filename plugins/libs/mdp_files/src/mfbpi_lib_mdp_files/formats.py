"""Every format by the ending of a file's name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mfbpi_core.errors import UsageError
from mfbpi_lib_mdp_files import cassandra, drn, npz, transitions
from mfbpi_lib_mdp_files.named import Draft, Named

#: What reads a file of tables, and what writes any.
_READ: dict[str, Callable[[Path], Draft]] = {
    ".csv": transitions.read_csv,
    ".json": transitions.read_json,
    ".parquet": transitions.read_parquet,
    ".drn": drn.read,
    ".mdp": cassandra.read,
    ".pomdp": cassandra.read,
}

_WRITE: dict[str, Callable[[Named, Path], None]] = {
    ".npz": npz.write,
    ".csv": transitions.write_csv,
    ".json": transitions.write_json,
    ".parquet": transitions.write_parquet,
    ".drn": drn.write,
    ".mdp": cassandra.write,
}

#: Endings of names, in lower case.
READABLE = (".npz", *_READ)
WRITABLE = tuple(_WRITE)


def read(file: Path, reward_range: tuple[float, float] | None = None) -> Named:
    """Read a model.

    Args:
        file: its ending, upper or lower case, says the format.
        reward_range: limits of the rewards, which go before those of the file.

    Raises:
        UsageError: naming the file, and line, state, action and number where these are wrong.
    """
    ending = file.suffix.lower()
    if ending not in READABLE:
        raise UsageError(f"{file.name} ends in {ending!r}; expected {', '.join(READABLE)}")
    if not file.is_file():
        raise UsageError(f"there is no file {file}")
    try:
        if ending == ".npz":
            return npz.read(file, reward_range)
        return _READ[ending](file).build(reward_range)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file.name}: {error}") from error


def write(model: Named, file: Path) -> None:
    """Write a model; raises :class:`UsageError` for what the format cannot hold."""
    ending = file.suffix.lower()
    if ending not in WRITABLE:
        raise UsageError(f"{file.name} ends in {ending!r}; expected {', '.join(WRITABLE)}")
    try:
        _WRITE[ending](model, file)
    except OSError as error:
        raise UsageError(f"cannot write {file.name}: {error}") from error
