"""Files of remote file systems, as :mod:`mfbpi.results.storage.files` has those of this machine."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from mfbpi.results.storage.remote.place import Remote

#: Name of the file that comes last to a folder that is exchanged.
COMPLETE = "_SUCCESS"


@contextlib.contextmanager
def stream(path: Remote) -> Iterator[BinaryIO]:
    """A file that is written here first: one that fails half way must not appear there."""
    with tempfile.NamedTemporaryFile(prefix="mfbpi-") as spool:
        yield cast(BinaryIO, spool)
        spool.flush()
        path.client.upload(path.key, Path(spool.name))


@contextlib.contextmanager
def folder(target: Remote) -> Iterator[Path]:
    """A folder that is filled here first, and then put in the place of one that is there.

    It cannot be exchanged in one step: the files of the earlier one go first, and the last that
    comes is :data:`COMPLETE`.
    """
    with tempfile.TemporaryDirectory(prefix="mfbpi-") as spool:
        filled = Path(spool)
        yield filled
        (target / COMPLETE).unlink(missing_ok=True)
        if target.is_dir():
            target.client.delete_folder(target.key)
        for path in sorted(each for each in filled.rglob("*") if each.is_file()):
            target.client.upload((target / path.relative_to(filled)).key, path)
        target.client.write((target / COMPLETE).key, b"")


def append(path: Remote, content: bytes) -> None:
    """Add to a file, which is read and written anew: for a log, now and then."""
    with contextlib.suppress(FileNotFoundError):
        content = path.read_bytes() + content
    path.client.write(path.key, content)


def remove_stale(target: Remote, mark: str, pattern: re.Pattern[str]) -> None:
    """Remove temporary files; where no lock tells whose they are, shards leave them alone."""
    if mark or target.client.shows_whole_files:
        return
    for path in target.iterdir():
        if pattern.fullmatch(path.name):
            path.unlink(missing_ok=True)
