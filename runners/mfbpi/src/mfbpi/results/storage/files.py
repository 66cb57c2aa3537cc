"""Files written whole and read with care: no link is followed, and no pipe is waited for.

A directory of results may lie where others can write. A name that can be foreseen could be taken
before by a link to somebody's file, or by a pipe that nobody reads; names here are random and
created exclusively, and what is read is a regular file or an error. On remote file systems there
are no links or pipes, and a file is there when it is complete.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from mfbpi.results.storage.places import Place
from mfbpi.results.storage.remote import files as remote
from mfbpi.results.storage.remote.place import Remote

if sys.platform != "win32":
    import fcntl

#: Never a link; Windows has no such flag, nor links that anyone may plant.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_BINARY", 0)

_APPEND = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_APPEND
    | _NO_LINK
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)

# Without O_NONBLOCK, opening a pipe would wait for its other end.
_READ = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

_OPENS_FOLDERS = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")

_TEMPORARY = re.compile(r"\.mfbpi-((?P<mark>\d+-of-\d+)-)?[0-9a-f]{16}\.tmp")

#: What a lock is answered with by file systems that know none, such as some that are remote.
_NO_LOCKS = {
    getattr(errno, name, errno.ENOSYS) for name in ("ENOLCK", "ENOSYS", "ENOTSUP", "EOPNOTSUPP")
}


def atomic_write(
    path: Place, content: bytes, mark: str = "", patience_s: float | None = None
) -> None:
    """Write a file so that at every moment it is absent, as before, or complete.

    A link at ``path`` is replaced, not followed; a pipe, a device or a folder, there or where the
    link points, is left alone.

    Args:
        path: the file.
        content: all of it.
        mark: says whose temporary file it is, for :func:`remove_stale`.
        patience_s: how long a remote file system is tried; None for as long as may help.

    Raises:
        OSError: the file is as before and nothing is left beside it.
    """
    if isinstance(path, Remote):
        path.client.write(path.key, content, patience_s)
        return
    with atomic_stream(path, mark) as stream:
        stream.write(content)


@contextlib.contextmanager
def atomic_stream(path: Place, mark: str = "") -> Iterator[BinaryIO]:
    """The same for a content that comes bit by bit: the file is there when the block has ended."""
    if isinstance(path, Remote):
        with remote.stream(path) as spool:
            yield spool
        return
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is there and not a regular file")
    marked = f"{mark}-" if mark else ""
    temporary = f".mfbpi-{marked}{secrets.token_hex(8)}.tmp"
    with _folder(path.parent) as (folder, where):
        descriptor = os.open(where / temporary, _CREATE, 0o666, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                # Where the file system knows no locks, the file is written all the same.
                with contextlib.suppress(OSError):
                    _lock(descriptor)
                yield stream
                stream.flush()
                os.fsync(descriptor)
            os.replace(where / temporary, where / path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(where / temporary, dir_fd=folder)
            raise


@contextlib.contextmanager
def _folder(folder: Path) -> Iterator[tuple[int | None, Path]]:
    """A folder to write in, which nobody can exchange for a link meanwhile; and what it is called.

    Those that we make, whose names begin with ``_``, must not be links in the first place. Windows
    opens no folders, and links are made there by administrators alone.
    """
    if not _OPENS_FOLDERS:
        yield None, folder
        return
    link = _NO_LINK if folder.name.startswith("_") else 0
    try:
        descriptor = os.open(folder, os.O_DIRECTORY | link | getattr(os, "O_PATH", os.O_RDONLY))
    except OSError as error:
        if folder.is_symlink():
            raise OSError(errno.ELOOP, f"{folder.name} is a link; expected a folder") from error
        raise
    try:
        yield descriptor, Path()
    finally:
        os.close(descriptor)


def remove(path: Place) -> None:
    """Remove a file, if it is there; what lies behind a link to a folder is left alone."""
    if isinstance(path, Remote):
        path.unlink(missing_ok=True)
        return
    with contextlib.suppress(FileNotFoundError), _folder(path.parent) as (folder, where):
        os.unlink(where / path.name, dir_fd=folder)


@contextlib.contextmanager
def atomic_folder(folder: Place) -> Iterator[Path]:
    """A folder that is filled in the block, and there, in place of an earlier one, at its end.

    Raises:
        OSError: when it cannot be written, or something else is there.
    """
    if isinstance(folder, Remote):
        with remote.folder(folder) as filled:
            yield filled
        return
    if folder.is_symlink() or (_exists(folder) and not folder.is_dir()):
        raise OSError(errno.EINVAL, f"{folder} is there and not a folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = folder.with_name(f".mfbpi-{secrets.token_hex(8)}.tmp")
    temporary.mkdir()
    try:
        yield temporary
        if _exists(folder):
            folder.rename(temporary.with_name(f"{temporary.name}.old"))
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(temporary.with_name(f"{temporary.name}.old"), ignore_errors=True)


def append(path: Place, content: bytes) -> None:
    """Add to a file, which is created if need be; raises :class:`OSError`, also for a link."""
    if isinstance(path, Remote):
        remote.append(path, content)
        return
    descriptor = os.open(path, _APPEND, 0o666)
    with os.fdopen(descriptor, "ab") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        stream.write(content)


def read_regular(path: Place) -> bytes:
    """The content of a regular file.

    Raises:
        OSError: when it cannot be read, or is a link, a pipe, a device or a folder.
    """
    if isinstance(path, Remote):
        return path.read_bytes()
    try:
        with open(path, "rb", opener=lambda name, _flags: os.open(name, _READ)) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise OSError(errno.EINVAL, "it is no regular file")
            return stream.read()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, "it is a link; expected a regular file") from error
        raise


def is_regular(path: Place) -> bool:
    """Whether there is a regular file, and not a link to one."""
    if isinstance(path, Remote):
        return path.is_file()
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def make_folder(folder: Place) -> None:
    """Create a folder unless it is there; raises :class:`OSError`, also where a link is there.

    Remote ones come with their files.
    """
    if isinstance(folder, Remote):
        return
    folder.mkdir(parents=True, exist_ok=True)
    if folder.is_symlink():
        raise OSError(errno.ELOOP, f"{folder.name} is a link; expected a folder")


def move_aside(path: Place, folder: Place) -> Place:
    """Move a file, not through a link, to a name that is free in a folder; where it is now."""
    if isinstance(path, Remote) and isinstance(folder, Remote):
        return path.rename(folder / f"{path.name}.{secrets.token_hex(4)}")
    assert isinstance(path, Path)
    assert isinstance(folder, Path)
    make_folder(folder)
    names = (f"{path.name}.{secrets.token_hex(4)}" if n else path.name for n in range(100))
    target = next(folder / name for name in names if not _exists(folder / name))
    with _folder(path.parent) as (source, at), _folder(folder) as (aside, to):
        os.rename(at / path.name, to / target.name, src_dir_fd=source, dst_dir_fd=aside)
    return target


def remove_stale(folder: Place, mark: str = "") -> None:
    """Remove temporary files whose writers were killed; those of living writers stay.

    Args:
        folder: where.
        mark: of the shard that cleans up, to which those of its siblings are no matter.
    """
    if isinstance(folder, Remote):
        remote.remove_stale(folder, mark, _TEMPORARY)
        return
    if folder.is_symlink() or not folder.is_dir():
        return
    for path in folder.iterdir():
        found = _TEMPORARY.fullmatch(path.name)
        if found and not _is_siblings(found["mark"], mark) and not _is_being_written(path, mark):
            path.unlink(missing_ok=True)


def _is_siblings(mark: str | None, own: str) -> bool:
    """Whether a mark is that of another shard of as many, which may run on another machine."""
    return bool(mark and own and mark != own and mark.split("-")[-1] == own.split("-")[-1])


def _exists(path: Path) -> bool:
    return os.path.lexists(path)


def _lock(descriptor: int) -> None:
    """Show that the file's writer lives; the lock ends with the writer, however it ends."""
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_being_written(path: Path, mark: str) -> bool:
    """Whether its writer lives; where that cannot be told, it does unless the mark is one's own."""
    error = _attempt(path)
    own = f"-{mark}-" in path.name
    return error is not None and not (own and error.errno in _NO_LOCKS)


def is_held(path: Path) -> bool:
    """Whether another process holds the lock of a file, as far as can be seen from here."""
    error = _attempt(path)
    return isinstance(error, BlockingIOError | PermissionError)


def knows_locks(path: Path) -> bool:
    """Whether files there can be locked; the file is created if need be."""
    os.close(os.open(path, os.O_RDONLY | os.O_CREAT | _NO_LINK, 0o666))
    error = _attempt(path)
    return error is None or error.errno not in _NO_LOCKS


def _attempt(path: Path) -> OSError | None:
    """Lock a file for a moment; returns why it cannot be."""
    try:
        descriptor = os.open(path, _READ)
    except OSError:  # nothing that a writer of ours would hold
        return None
    try:
        _lock(descriptor)
    except OSError as error:
        return error
    finally:
        os.close(descriptor)
    return None
