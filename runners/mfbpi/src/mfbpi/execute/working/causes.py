"""Why a task failed, on one line: what was raised, and where in the plugin."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from types import FrameType

from mfbpi.results.storage import provenance
from mfbpi_core.errors import MfbpiError, PluginError
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.text import described, said, shortened

#: Characters of a traceback that are kept; what an exception says may have any length.
_LONGEST_TRACEBACK = 100_000


def traced(error: BaseException) -> str:
    """The traceback, in which paths name no person and no host."""
    try:
        text = "".join(traceback.format_exception(error))
    except Exception:  # of what it says itself, or of what an exception before it says
        text = "".join(traceback.format_tb(error.__traceback__)) + described(error)
    return provenance.without_paths(shortened(text, _LONGEST_TRACEBACK))


def cause(error: BaseException, registry: Registry | None) -> str:
    """Type and message of an exception, and file and line of the plugin that was at work.

    The place is the innermost line of a plugin; where no plugin was at work, the innermost line,
    unless the exception is one of ours, whose message says whom to blame.
    """
    message = " ".join(provenance.without_paths(said(error)).split())
    line = f"{type(error).__qualname__}: {message}" if message else type(error).__qualname__
    place = _place(error, set() if registry is None else _packages(registry))
    return f"{line} ({place})" if place else line


@contextmanager
def foreign(what: str) -> Iterator[None]:
    """Say of what other people's code raises in this block that it does, on one line."""
    try:
        yield
    except MfbpiError:
        raise
    except Exception as error:
        raise PluginError(f"{what}: {cause(error, None)}") from error


def _place(error: BaseException, packages: set[str]) -> str:
    frames = [found for raised in _chain(error) for found in _frames(raised)]
    inside = [found for found in frames if _package(found[0]) in packages]
    if not frames or (not inside and isinstance(error, MfbpiError)):
        return ""
    frame, line = (inside or frames)[-1]
    return f"{PurePath(frame.f_code.co_filename).name}:{line}"


def _chain(error: BaseException) -> list[BaseException]:
    """What was raised last, and before it what that came from, down to the first."""
    chain = [error]
    while (before := chain[-1].__cause__) is not None and before not in chain:
        chain.append(before)
    return chain


def _frames(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    yield from traceback.walk_tb(error.__traceback__)


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _packages(registry: Registry) -> set[str]:
    """The packages in which the plugins installed have their classes."""
    return {plugin.spec.factory.partition(":")[0].partition(".")[0] for plugin in registry.plugins}
