"""A remote file system as it is used here: whole files, listings, and patience with failures."""

from __future__ import annotations

import functools
import os
import random
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import attrs
import pyarrow as pa

from mfbpi.results.storage.remote.causes import explained, is_final

T = TypeVar("T")

#: Seconds for which a server is asked again: one that has never answered, and one that has.
FIRST_PATIENCE_S, PATIENCE_S = 4.0, 120.0

#: Seconds before the second attempt, and most between two.
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.1, 5.0

#: Where a file appears whole, when it is complete; elsewhere it is written beside and then moved.
_APPEAR_WHOLE = ("s3", "gcs")

#: Seconds for which the library of Google tries by itself, within each of our attempts.
_GCS_LIMIT_S = 5

_CONNECT_S = 10.0

#: Attempts that the AWS library makes by itself, within each of ours.
_OWN_ATTEMPTS = 2


@attrs.define
class Client:
    """A file system, and whether it has ever answered.

    Attributes:
        system: pyarrow's.
        prefix: what all its paths begin with.
        shown: what messages call it.
        held: keys of the leases of this process.
        before: what is called with the key of each file before it is written; it may refuse.
    """

    system: Any
    prefix: str
    shown: str
    held: set[str] = attrs.field(factory=set)
    before: list[Callable[[str], object]] = attrs.field(factory=list)
    _reached: bool = False

    @property
    def shows_whole_files(self) -> bool:
        """Whether a file that is being written is not there before it is complete."""
        return str(self.system.type_name) in _APPEAR_WHOLE

    def path(self, key: str) -> str:
        """The path that pyarrow knows a key by."""
        between = "" if not key or self.prefix.endswith("/") else "/"
        return f"{self.prefix}{between}{key}"

    def read(self, key: str, most: int | None = None) -> bytes:
        """The content of a file; raises :class:`FileNotFoundError` where there is none.

        Args:
            key: of the file.
            most: how many bytes are read at most; all by default.
        """

        def once() -> bytes:
            with self.system.open_input_file(self.path(key)) as stream:
                return bytes(stream.read(most))

        return self._patiently(key, once)

    def write(self, key: str, content: bytes, patience_s: float | None = None) -> None:
        """Write a file: at every moment it is absent, as before, or complete."""
        self._write(key, pa.py_buffer(content), patience_s)

    def upload(self, key: str, file: Path) -> None:
        """The same with the content of a file of this machine, which may be large."""
        with pa.memory_map(str(file)) as source:
            self._write(key, source.read_buffer(), None)

    def _write(self, key: str, content: pa.Buffer, patience_s: float | None) -> None:
        for ask in tuple(self.before):
            ask(key)
        path = self.path(key)
        if self.shows_whole_files:
            self._patiently(key, partial(_undisturbed, self._put, path, content), patience_s)
            return
        folder = path.rpartition("/")[0]
        temporary = f"{folder}/.mfbpi-{secrets.token_hex(8)}.tmp"
        put = partial(_undisturbed, self._put_beside, folder, temporary, path, content)
        self._patiently(key, put, patience_s)

    def _put(self, path: str, content: pa.Buffer) -> None:
        stream = self.system.open_output_stream(path)
        stream.write(content)
        stream.close()

    def _put_beside(self, folder: str, temporary: str, path: str, content: pa.Buffer) -> None:
        self.system.create_dir(folder, recursive=True)
        try:
            self._put(temporary, content)
            self.system.move(temporary, path)
        except BaseException:
            self._forget(temporary)
            raise

    def _forget(self, path: str) -> None:
        try:
            self.system.delete_file(path)
        except OSError:  # it was not written, or will be removed by the next writer
            return

    def kind(self, key: str) -> str:
        """``"file"``, ``"folder"``, or nothing where there is neither."""
        from pyarrow import fs

        info = self._patiently(key, lambda: self.system.get_file_info(self.path(key)))
        return {fs.FileType.File: "file", fs.FileType.Directory: "folder"}.get(info.type, "")

    def modified(self, key: str) -> float | None:
        """When the store says that a file was written last, in seconds; None if it does not."""
        info = self._patiently(key, lambda: self.system.get_file_info(self.path(key)))
        return None if info.mtime is None else float(info.mtime.timestamp())

    def names(self, key: str) -> list[str]:
        """What lies in a folder, sorted; nothing where there is none.

        Raises:
            RemoteError: also where there is no such bucket.
        """
        from pyarrow import fs

        where = fs.FileSelector(self.path(key), allow_not_found=True)
        found = self._patiently(key, lambda: self.system.get_file_info(where))
        if not found and self.shows_whole_files and not self.kind(""):
            raise explained(OSError(f"Bucket '{self.prefix}' not found"), self.shown)
        names = {info.path.rstrip("/").rpartition("/")[2] for info in found}
        return sorted(names - {"", ".", ".."})

    def delete(self, key: str) -> None:
        """Remove a file; raises :class:`FileNotFoundError` where there is none."""
        self._patiently(key, lambda: self.system.delete_file(self.path(key)))

    def delete_folder(self, key: str) -> None:
        """Remove a folder with all that lies in it."""
        self._patiently(key, lambda: self.system.delete_dir(self.path(key)))

    def move(self, key: str, target: str) -> None:
        """Give a file another name."""
        self._patiently(key, lambda: self.system.move(self.path(key), self.path(target)))

    def _patiently(self, key: str, action: Callable[[], T], patience_s: float | None = None) -> T:
        """Do it; what fails for a moment is tried again."""
        if patience_s is None:
            patience_s = PATIENCE_S if self._reached else FIRST_PATIENCE_S
        deadline, wait_s = time.monotonic() + patience_s, _FIRST_WAIT_S
        while True:
            try:
                done = action()
            except Exception as error:  # third parties' file systems raise what they like
                self._reached = self._reached or isinstance(error, FileNotFoundError)
                left_s = deadline - time.monotonic()
                if is_final(error) or left_s <= 0.0:
                    where = f"{self.shown}/{key}" if key else self.shown
                    raise explained(error, where) from None
                time.sleep(min(wait_s * random.uniform(0.5, 1.0), max(left_s, 0.0)))
                wait_s = min(2.0 * wait_s, _LONGEST_WAIT_S)
            else:
                self._reached = True
                return done


def _undisturbed(action: Callable[..., T], *arguments: Any) -> T:
    """Do it in a thread of its own, where no Ctrl-C can end it half way.

    A stream that is closed on the way out of an exception would complete half a file.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(action, *arguments).result()


@functools.cache
def connected(base: str, options: tuple[tuple[str, str], ...]) -> Client:
    """The file system of a URL, one for each process; raises :class:`RemoteError`."""
    try:
        system, prefix = _opened(base, dict(options))
    except Exception as error:  # whatever pyarrow, or a third party's file system, makes of it
        raise explained(error, base) from None
    return Client(system, prefix, base)


def _opened(base: str, options: dict[str, str]) -> tuple[Any, str]:
    from pyarrow import fs

    scheme, _, rest = base.partition("://")
    if scheme == "s3":
        return _s3(rest, options), rest
    if scheme in ("gs", "gcs"):  # which would try for a quarter of an hour
        options = {"retry_limit_seconds": str(_GCS_LIMIT_S), **options}
    query = "&".join(f"{name}={value}" for name, value in options.items())
    system, prefix = fs.FileSystem.from_uri(f"{base}/{'?' if query else ''}{query}")
    return system, prefix.rstrip("/") or prefix


def _s3(bucket: str, options: dict[str, str]) -> Any:
    """S3 with few requests: small files are written in one."""
    from pyarrow import fs

    given: dict[str, Any] = {**_endpoint(), **options}
    regions = ("AWS_REGION", "AWS_DEFAULT_REGION")
    if not {"endpoint_override", "region"} & given.keys() and not any(map(os.getenv, regions)):
        given["region"] = fs.resolve_s3_region(bucket)
    given["connect_timeout"] = _CONNECT_S
    given["retry_strategy"] = fs.AwsStandardS3RetryStrategy(max_attempts=_OWN_ATTEMPTS)
    try:
        return fs.S3FileSystem(allow_delayed_open=True, **given)
    except TypeError:  # of an older pyarrow
        return fs.S3FileSystem(**given)


def _endpoint() -> dict[str, str]:
    """The server that the variables of the AWS tools name, which pyarrow does not look at."""
    url = os.getenv("AWS_ENDPOINT_URL_S3") or os.getenv("AWS_ENDPOINT_URL") or ""
    scheme, _, server = url.rpartition("://")
    return {"endpoint_override": server.rstrip("/"), "scheme": scheme or "https"} if url else {}
