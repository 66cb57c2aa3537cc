"""Whose fault it is: what other people's code raises, as an error that says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mfbpi_core.errors import PluginError
from mfbpi_core.text import described


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """Turn whatever this block raises into a :class:`PluginError` that begins with ``what``.

    Exits, and what test tools skip with, are among it; only Ctrl-C passes.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PluginError(f"{what}: {described(error)}") from error
