"""Files that people name, whose ending says the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from mfbpi.results.storage import files
from mfbpi_core.errors import UsageError

T = TypeVar("T")


def write(path: str | Path, content: T, formats: Mapping[str, Callable[[T], bytes]]) -> None:
    """Write something whole or not at all.

    Args:
        path: where to.
        content: what.
        formats: by ending, such as ``".csv"``, what makes the bytes of it.

    Raises:
        UsageError: for another ending, or where it cannot be written.
    """
    target = Path(path)
    make = formats.get(target.suffix.lower())
    if make is None:
        raise UsageError(f"{target}: expected a name that ends in {', '.join(formats)}")
    try:
        files.atomic_write(target, make(content))
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror or error}") from error
