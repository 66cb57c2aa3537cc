"""Whether what a file asks to build would import code that the file names."""

from __future__ import annotations

from collections.abc import Collection

from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.assembly import Part


class UntrustedError(UsageError):
    """A file asks for what its reader has not allowed."""


def check(part: Part, allowed: Collection[str]) -> None:
    """Refuse a plugin that would import a module for its parameters, unless the caller names it.

    A ``Config`` whose parameters may name a module says which in ``imports``, empty for none.

    Args:
        part: a plugin with its parameters, out of a file.
        allowed: modules that the caller allows.

    Raises:
        UntrustedError: naming the module.
    """
    module = getattr(part.config, "imports", "")
    if module and module not in allowed:
        raise UntrustedError(
            f"the file asks {part.plugin.described} to import {module!r}; if that is code of "
            f"yours, allow it with `imports='{module}'`"
        )
