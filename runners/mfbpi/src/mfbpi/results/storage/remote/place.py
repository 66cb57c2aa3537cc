"""A place on a remote file system, which is used as a path of this machine is."""

from __future__ import annotations

import contextlib
import fnmatch
import posixpath
import urllib.parse
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from mfbpi.results.storage.remote.client import Client


@attrs.frozen(order=True, repr=False)
class Remote:
    """A file or folder by its URL; what it does is named as in :class:`pathlib.Path`.

    Attributes:
        base: scheme and authority, such as ``"s3://bucket"``.
        key: the rest, without a slash at its ends.
        options: what the URL asks for, by name.
    """

    base: str
    key: str = ""
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        key = f"/{urllib.parse.quote(self.key, safe='/+=,:@ ')}" if self.key else ""
        query = urllib.parse.urlencode(self.options, safe="/:")
        return f"{self.base}{key}{'?' if query else ''}{query}"

    def __repr__(self) -> str:
        return f"Remote({str(self)!r})"

    def __truediv__(self, name: str | PurePath) -> Remote:
        parts = [part for part in str(name).split("/") if part not in ("", ".")]
        return self._at("/".join(filter(None, (self.key, *parts))))

    def _at(self, key: str) -> Remote:
        return attrs.evolve(self, key=key)

    @property
    def client(self) -> Client:
        """The file system, one for each process."""
        from mfbpi.results.storage.remote.client import connected

        return connected(self.base, self.options)

    @property
    def name(self) -> str:
        """The last part."""
        return posixpath.basename(self.key)

    @property
    def stem(self) -> str:
        """The last part without what follows its last dot."""
        return posixpath.splitext(self.name)[0]

    @property
    def suffix(self) -> str:
        """The last dot of the name and what follows it."""
        return posixpath.splitext(self.name)[1]

    @property
    def parent(self) -> Remote:
        """The folder that it lies in."""
        return self._at(posixpath.dirname(self.key))

    def with_name(self, name: str) -> Remote:
        """Its neighbour of this name."""
        return self.parent / name

    def relative_to(self, folder: Remote) -> str:
        """What leads from a folder above to here."""
        return posixpath.relpath(self.key or ".", folder.key or ".")

    def absolute(self) -> Remote:
        """Itself: it is what it is from everywhere."""
        return self

    def resolve(self) -> Remote:
        """Itself: there are no links."""
        return self

    def exists(self) -> bool:
        """Whether there is a file or a folder."""
        return bool(self.client.kind(self.key))

    def is_file(self) -> bool:
        """Whether there is a file."""
        return self.client.kind(self.key) == "file"

    def is_dir(self) -> bool:
        """Whether there is a folder."""
        return self.client.kind(self.key) == "folder"

    def is_symlink(self) -> bool:
        """Never."""
        return False

    def iterdir(self) -> Iterator[Remote]:
        """What lies in the folder."""
        return (self / name for name in self.client.names(self.key))

    def glob(self, pattern: str) -> Iterator[Remote]:
        """What lies in the folder under a name of this pattern."""
        return (each for each in self.iterdir() if fnmatch.fnmatchcase(each.name, pattern))

    def read_bytes(self, most: int | None = None) -> bytes:
        """The content of the file, or no more than its first bytes."""
        return self.client.read(self.key, most)

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove the file."""
        with contextlib.suppress(FileNotFoundError) if missing_ok else contextlib.nullcontext():
            self.client.delete(self.key)

    def rmdir(self) -> None:
        """Nothing: where files are objects, folders are there as long as something lies in them."""

    def rename(self, target: Remote) -> Remote:
        """Give the file another name."""
        self.client.move(self.key, target.key)
        return target
