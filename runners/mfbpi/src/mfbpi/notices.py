"""What the library has to say beside its results: Python warnings, shown as the caller likes."""

from __future__ import annotations

import multiprocessing
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mfbpi_core.errors import MfbpiNote, MfbpiWarning, ModelWarning
from mfbpi_core.text import one_line, visible

#: Set in processes that run tasks for a driver elsewhere.
WORKER = "MFBPI_WORKER"

#: Calls between the place that is warned of and Python's function.
_DEPTH = 3


def warn(message: str) -> None:
    """Something that the caller should look at."""
    warnings.warn(message, MfbpiWarning, stacklevel=_DEPTH)


def note(message: str) -> None:
    """Something worth knowing, which needs no action."""
    warnings.warn(message, MfbpiNote, stacklevel=_DEPTH)


@contextmanager
def routed(show_warning: Callable[[str], None], show_note: Callable[[str], None]) -> Iterator[None]:
    """Hand each of our warnings in this block to a function, every time; others go on as always."""
    with warnings.catch_warnings():
        # Not an error and not only once, whatever the filters of the process say.
        warnings.simplefilter("always", MfbpiWarning)
        before = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: object) -> None:
            if issubclass(category, MfbpiNote):
                show_note(str(message))
            elif issubclass(category, MfbpiWarning):
                show_warning(str(message))
            else:
                before(message, category, *place)  # type: ignore[arg-type]

        warnings.showwarning = show  # type: ignore[assignment]
        yield


@contextmanager
def about(what: str) -> Iterator[None]:
    """Say of each doubt about a model in this block what the model is of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        yield
    for warning in caught:
        if issubclass(warning.category, ModelWarning):
            warnings.warn(f"{what}: {warning.message}", ModelWarning, stacklevel=_DEPTH)
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


@contextmanager
def plain_in_workers() -> Iterator[None]:
    """In a worker process, write our warnings on standard error at once, a line each."""
    if multiprocessing.parent_process() is None and WORKER not in os.environ:
        yield
    else:
        with routed(lambda text: _write("warning", text), lambda text: _write("note", text)):
            yield


def _write(kind: str, text: str) -> None:
    sys.stderr.write(f"{kind}: {visible(one_line(text))}\n")
