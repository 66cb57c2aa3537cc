"""What an environment says it is made of beside its plugin: files and modules that are there."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from mfbpi_core.contracts.environment import Environment
from mfbpi_core.errors import PluginError


def check_parts(environment: Environment) -> None:
    """Refuse parts that results could not tell from others of the same name.

    Raises:
        PluginError: naming the part.
    """
    parts: object = environment.made_of
    if not isinstance(parts, tuple | list):
        raise PluginError(f"made_of is {parts!r}; expected a tuple of Paths and names of modules")
    for part in parts:
        if not isinstance(part, Path | str):
            raise PluginError(f"made_of names {part!r}; expected a Path or a module")
        if not (part.is_file() if isinstance(part, Path) else _is_module(part)):
            what = "file" if isinstance(part, Path) else "module"
            raise PluginError(f"made_of names {str(part)!r}, which is not there, or is no {what}")


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name.partition(".")[0]) is not None
    except ValueError:  # of a module that was made by hand
        return False
