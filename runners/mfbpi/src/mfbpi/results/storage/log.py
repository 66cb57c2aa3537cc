"""A text that grows by lines, wherever it lies."""

from __future__ import annotations

import threading
from pathlib import Path

from mfbpi.results.storage import files
from mfbpi.results.storage.places import Place


class Log:
    """Lines of a file; a remote one, which cannot be added to, takes them some at a time.

    What cannot be written is left out, or tried again with what comes later.
    """

    def __init__(self, path: Place) -> None:
        self._path = path
        self._waiting = b""
        self._lock = threading.Lock()

    def add(self, line: bytes) -> None:
        """Take a line, which is in the file at once, or after the next :meth:`flush`."""
        with self._lock:
            self._waiting += line
        if isinstance(self._path, Path):
            self.flush()
            self._waiting = b""

    def flush(self) -> None:
        """Write what waits."""
        with self._lock:
            if not self._waiting:
                return
            try:
                files.append(self._path, self._waiting)
            except OSError:  # a full disk is met, and told of, where results are written
                return
            self._waiting = b""
