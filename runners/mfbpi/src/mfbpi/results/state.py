"""How far a run has come, as its driver tells those who look from elsewhere."""

from __future__ import annotations

import attrs

#: Seconds between two states that a driver tells.
UPDATE_S = 15.0

_MINUTE, _HOUR = 60.0, 3600.0


@attrs.define(kw_only=True)
class State:
    """How far a run has come.

    Attributes:
        total: number of tasks.
        kept: how many were done before.
        done: how many are done, those included.
        failed: how many have failed.
        at_once: how many run at the same time.
        began: when, in seconds since 1970.
        written: likewise, of this state.
        every_s: seconds after which there is another one, as long as the run goes on.
    """

    total: int = 0
    kept: int = 0
    done: int = 0
    failed: int = 0
    at_once: int = 1
    began: float = 0.0
    written: float = 0.0
    every_s: float = UPDATE_S

    @property
    def waiting(self) -> int:
        """Tasks without an outcome."""
        return self.total - self.done - self.failed

    @property
    def per_s(self) -> float:
        """Outcomes a second."""
        passed = self.written - self.began
        return (self.done - self.kept + self.failed) / passed if passed > 0.0 else 0.0

    def line(self) -> str:
        """The state on one line."""
        running = min(self.at_once, self.waiting)
        counts = f"{self.done} of {self.total} tasks done, {self.failed} failed, {running} running"
        return counts + pace(self.per_s, self.waiting)


def pace(per_s: float, waiting: int) -> str:
    """How fast it goes and what is left, where something is known of that."""
    if per_s <= 0.0 or waiting <= 0:
        return ""
    return f"; {_MINUTE * per_s:.3g} tasks a minute, about {duration(waiting / per_s)} left"


def duration(seconds: float) -> str:
    """Seconds in words: ``"45 s"``, ``"12 min"``, ``"3.5 h"``."""
    if seconds < 2 * _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _HOUR:.1f} h"
