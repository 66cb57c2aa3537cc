"""What the driver tells while a plan is carried out: a log, and a file for ``mfbpi status``."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from datetime import UTC, datetime

import attrs

from mfbpi.execute.events import Observer
from mfbpi.results.state import UPDATE_S, State
from mfbpi.results.storage.directory import Store, StoreError
from mfbpi.results.storage.log import Log
from mfbpi_core.text import one_line, visible

#: Seconds between two lines of the log.
LINE_S = 60.0


class Reporting(Observer):
    """Passes on what it is told, and tells others: a line a minute in the log, a file for status.

    A thread of its own does so, since the driver may wait for hours. Whatever cannot be written
    is left out: a full disk is met, and told of, where results are written.

    Attributes:
        state: how far the run has come.
    """

    def __init__(self, observer: Observer, store: Store, line_s: float = LINE_S) -> None:
        self._observer, self._store, self._line_s = observer, store, line_s
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._tell, name="mfbpi-report", daemon=True)
        self._log = Log(store.log)
        self.state = State()

    def begun(self, total: int, kept: int, at_once: int) -> None:
        """Begin to tell."""
        now = time.time()
        self.state = State(
            total=total, kept=kept, done=kept, at_once=at_once, began=now, written=now
        )
        self._observer.begun(total, kept, at_once)
        self._note(f"begun: {total} tasks, {kept} done before, up to {at_once} at the same time")
        self._update()
        self._thread.start()

    def finished(self, failure: str | None = None) -> None:
        """Count a task."""
        with self._lock:
            if failure is None:
                self.state.done += 1
            else:
                self.state.failed += 1
                self._note(failure)
            self._observer.finished(failure)

    def stopped(self, why: str) -> None:
        """Say in the log why not all tasks have outcomes."""
        self._note(f"stopped: {why}")

    def ended(self) -> None:
        """Tell nothing more."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        self._note(
            f"ended: {self.state.done} of {self.state.total} tasks done, {self.state.failed} failed"
        )
        self._log.flush()
        with contextlib.suppress(OSError):
            self._store.clear_running()
        self._observer.ended()

    def _tell(self) -> None:
        due = time.monotonic() + self._line_s
        while not self._over.wait(min(UPDATE_S, self._line_s)):
            self._update()
            if time.monotonic() >= due:
                due += self._line_s
                with self._lock:
                    line = self.state.line()
                    self._note(line)
                    self._observer.told(line)

    def _update(self) -> None:
        with self._lock:
            self.state.written = time.time()
            content = json.dumps(attrs.asdict(self.state)).encode()
        with contextlib.suppress(StoreError):
            self._store.write(self._store.driver, content, patience_s=0.0)
        self._log.flush()

    def _note(self, line: str) -> None:
        stamp = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        self._log.add(f"{stamp} {visible(one_line(line))}\n".encode())
