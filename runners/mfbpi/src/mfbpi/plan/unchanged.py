"""A class stays the class that it was, whatever running it fills: tables built on first use, memos.

What changes between two runs is an edit of the user's; what changes within one is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from mfbpi.plan.definition import definition, digest
from mfbpi_core.errors import UsageError

#: Of each class that running has changed: the digits that it has now, and those that it had.
_became: WeakKeyDictionary[type, dict[str, str]] = WeakKeyDictionary()

#: Of each run that is going on, the classes that it was begun with, and their digits.
_running: list[dict[type, str]] = []


def digits(defined: type, *, say: bool = True) -> str:
    """The digits of a class; those that it had where nothing but a run has changed it since.

    What cannot be told is noted, if ``say``.
    """
    now = digest(definition(defined, say=say))
    found = _became.get(defined, {}).get(now, now)
    for begun in _running:
        begun.setdefault(defined, found)
    return found


def begin(defined: type, known_by: str) -> None:
    """Say that a run goes on with a class, however long ago it was given.

    Args:
        defined: the class.
        known_by: the digits that it had then.

    Raises:
        UsageError: when it was edited since.
    """
    if not _running:
        return
    unseen = any(defined not in begun for begun in _running)
    now = digits(defined, say=False) if unseen else _running[-1][defined]
    if now != known_by:
        raise UsageError(
            f"{defined.__name__}, or what it refers to, was edited after it had been chosen; "
            "choose it again, so that it is known by what it is now"
        )


@contextmanager
def running() -> Iterator[None]:
    """Take whatever changes in this block for the doing of the classes that run in it."""
    begun: dict[type, str] = {}
    _running.append(begun)
    try:
        yield
    finally:
        _running.remove(begun)
        for defined, before in begun.items():
            _keep(defined, before)


def _keep(defined: type, before: str) -> None:
    try:
        now = digest(definition(defined, say=False))
    except UsageError:  # a module was edited meanwhile: the next run says so
        return
    if now != before:
        _became.setdefault(defined, {})[now] = before
