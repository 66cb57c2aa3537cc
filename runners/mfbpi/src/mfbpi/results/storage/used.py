"""What a run uses that can change its numbers."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

from mfbpi.results.storage import sources
from mfbpi_core.plugins.plugin import Plugin


@attrs.frozen
class Used:
    """Plugins, and what the environment is made of beside them.

    Attributes:
        plugins: each once.
        made_of: files and modules by name, with a digest of their content or a version, as they
            were when the environment was built.
    """

    plugins: tuple[Plugin, ...]
    made_of: Mapping[str, str] = attrs.field(factory=dict)


def contents(parts: Iterable[Path | str]) -> dict[str, str]:
    """The files and modules that :attr:`mfbpi_core.Environment.made_of` tells, with their content.

    A module is looked at once in a process: what it holds later is not what was imported.
    """
    return {
        sources.named(part): sources.content(str(part))
        if isinstance(part, Path)
        else _imported(sources.named(part))
        for part in parts
    }


_imported = functools.cache(sources.content)
