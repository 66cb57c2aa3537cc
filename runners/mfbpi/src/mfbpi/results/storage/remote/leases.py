"""One writer at a time where a file system knows no locks: each says, in a file, that it lives.

A writer writes its file first and then looks for others: of two that begin at the same moment,
one at least sees the other, since a store lists what it has written. The file is written anew as
long as the writer lives. How long one has been silent is told by the clock of the store alone.

A writer that was silent itself, on a machine that slept or was cut off, may have been taken for
dead, and its file removed. It looks for it before it writes anything else, and ends if it is gone.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from mfbpi.plan.sharding import Shard
from mfbpi.results.storage.remote.causes import RemoteError
from mfbpi.results.storage.remote.place import Remote

#: Where the files of writers lie.
FOLDER = "_writers"

#: Seconds between two signs of life, and of silence after which a writer is taken for dead.
BEAT_S, SILENT_S = 15.0, 60.0

_NAME = re.compile(r"(all|(?P<index>\d+)-of-(?P<count>\d+))-[0-9a-f]{16}\.json")


class TakenError(Exception):
    """Another writer lives; it says which shard is that one's, if any."""


@contextmanager
def held(directory: Remote, shard: Shard | None) -> Iterator[None]:
    """Be the only writer of a directory, or of a shard of it, in this block.

    Raises:
        TakenError: when another one lives.
        OSError: when nothing can be written there.
    """
    mark = "all" if shard is None else shard.tag
    own = directory / FOLDER / f"{mark}-{secrets.token_hex(8)}.json"
    over, lease = threading.Event(), _Lease(own, directory.key)
    own.client.held.add(own.key)
    try:
        _beat(own)
        _refuse_others(own, shard)
        own.client.before.append(lease.check)
        threading.Thread(target=_keep, args=(lease, over), name="mfbpi-lease", daemon=True).start()
        yield
    finally:
        over.set()
        if lease.check in own.client.before:
            own.client.before.remove(lease.check)
        own.client.held.discard(own.key)
        with contextlib.suppress(OSError):  # it will be taken for dead
            own.unlink(missing_ok=True)


def _beat(own: Remote, patience_s: float | None = None) -> None:
    content = json.dumps({"process": _process(os.getpid()), "written": time.time()})
    own.client.write(own.key, content.encode(), patience_s)


def _keep(lease: _Lease, over: threading.Event) -> None:
    while not over.wait(BEAT_S):
        with contextlib.suppress(OSError):
            lease.renew(BEAT_S)


@attrs.define(eq=False)
class _Lease:
    """The file by which a writer says that it lives.

    Attributes:
        file: it.
        folder: key of the directory that it is for.
        heard: when it was last written, by :func:`_now`.
    """

    file: Remote
    folder: str
    heard: float = attrs.field(factory=lambda: _now())
    _turn: threading.RLock = attrs.field(factory=threading.RLock)

    def check(self, key: str) -> None:
        """Before a file of the directory is written: see that nobody has taken over meanwhile.

        Raises:
            RemoteError: when somebody has.
        """
        inside = not self.folder or key.startswith(f"{self.folder}/")
        if inside and key != self.file.key and self._was_silent():
            self.renew()

    def renew(self, patience_s: float | None = None) -> None:
        """Write it anew; raises as :meth:`check`."""
        with self._turn:
            if self._was_silent() and not self.file.is_file():
                raise RemoteError(
                    errno.ESTALE,
                    f"this process was not heard for {SILENT_S:.0f} s, and another one writes to "
                    f"{self.file.parent.parent} now; run again with `if_exists` resume when that "
                    "one has ended",
                )
            began = _now()
            _beat(self.file, patience_s)
            self.heard = began

    def _was_silent(self) -> bool:
        return _now() - self.heard > SILENT_S


def _now() -> float:
    """Seconds, those in which the machine slept included, where the system counts them."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _refuse_others(own: Remote, shard: Shard | None) -> None:
    """Refuse to write beside a living writer of the same tasks; remove the files of dead ones."""
    for path in own.parent.iterdir():
        kind = _NAME.fullmatch(path.name)
        beside = kind and shard and kind["count"] == str(shard.count)
        if not kind or path == own or (beside and kind["index"] != str(shard and shard.index)):
            continue
        if not _is_dead(path, own):
            raise TakenError(f" shard {kind['index']}/{kind['count']} of" if kind["count"] else "")
        path.unlink(missing_ok=True)


def _is_dead(path: Remote, own: Remote) -> bool:
    """Whether a writer has ended, or was not heard for long."""
    try:
        told = json.loads(path.read_bytes())
    except FileNotFoundError:
        return True
    except (ValueError, RecursionError):
        told = None
    there, _, process = _process_of(told).partition(" ")
    if there and there == _machine() and process.partition(" ")[0].isdecimal():
        number = int(process.partition(" ")[0])
        ours = number == os.getpid() and path.key not in path.client.held
        return ours or _process(number) != _process_of(told)
    written, now = path.client.modified(path.key), own.client.modified(own.key)
    if written is None or now is None:  # a store without a clock
        given = told.get("written") if isinstance(told, dict) else None
        written, now = given if isinstance(given, int | float) else 0.0, time.time()
    return now - written > SILENT_S


def _process_of(told: Any) -> str:
    named = told.get("process") if isinstance(told, dict) else None
    return named if isinstance(named, str) else ""


def _process(pid: int) -> str:
    """What no other process is called, before the machine starts anew: machine, number, start."""
    try:
        started = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return f"{_machine()} {pid} ended"
    is_over = started[0] in ("Z", "X")
    return f"{_machine()} {pid} {'ended' if is_over else started[19]}"


def _machine() -> str:
    """A word for this machine, since it started, that tells nobody which it is; or nothing.

    Processes in other containers of it have other numbers, and count as elsewhere.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        space = os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - no file that Path would resolve
    except OSError:
        return ""
    return hashlib.sha256(f"{boot} {space}".encode()).hexdigest()[:16]
