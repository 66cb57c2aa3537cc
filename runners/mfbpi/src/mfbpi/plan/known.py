"""What is installed: its version tells all of it, and results say that."""

from __future__ import annotations

import functools
import importlib.util
import sys
import types
from importlib import metadata
from pathlib import Path
from typing import Any

from mfbpi.plan import beside

#: Folders in which installers alone write, also those of other environments on the path.
_BY_INSTALLERS = {"site-packages", "dist-packages"}

#: What scripts and notebooks are called, here and in workers.
_MAIN = {"__main__", "__mp_main__"}

#: What type.__flags__ says of a class that is no C structure of an interpreter or library.
_HEAP_TYPE = 1 << 9


def is_known(module: object) -> bool:
    """Whether a module is installed, by its name."""
    return isinstance(module, str) and not (beside.is_users(module) and not is_installed(module))


def is_installed(module: str) -> bool:
    """Whether it lies where an installer put it, though elsewhere than with Python.

    Such are libraries on PYTHONPATH, as module systems of clusters have them. What is installed
    for editing lies where its author writes, and is the user's.
    """
    top = module.partition(".")[0]
    if top in _MAIN:  # what started the process, such as a notebook's kernel, may be installed
        return False
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError, AttributeError):  # such as one that was made by hand
        return False
    if spec is None or spec.origin is None or not spec.has_location:
        return False
    file = Path(spec.origin)
    return _put_by_an_installer(file.parent.parent if file.stem == "__init__" else file.parent, top)


@functools.cache
def _put_by_an_installer(folder: Path, top: str) -> bool:
    if not _BY_INSTALLERS.isdisjoint(folder.parts):
        return True
    if not any(folder.glob("*.dist-info")):
        return False
    starts = (f"{top}/__init__.py,", f"{top}.")
    recorded = (
        each.read_text("RECORD") or "" for each in metadata.distributions(path=[str(folder)])
    )
    return any(line.startswith(starts) for text in recorded for line in text.splitlines())


def is_importable(value: Any) -> bool:
    """Whether a function or a class is what its name finds in a module that is installed."""
    module, names = value.__module__, value.__qualname__.split(".")
    found: object = sys.modules.get(module) if is_known(module) else None
    for name in names:
        found = getattr(found, "__dict__", {}).get(name)
    return getattr(found, "__func__", found) is value


def is_known_class(kind: type) -> bool:
    """Whether its name tells all of a class: no function of a library's made it of something."""
    if not is_known(kind.__module__):
        return False
    return not kind.__flags__ & _HEAP_TYPE or is_importable(kind)


def home(function: types.FunctionType) -> str | None:
    """The module in which a function was written, whatever it is called after."""
    name = function.__globals__.get("__name__", function.__module__)
    return name if isinstance(name, str) else None


def is_generated(function: types.FunctionType) -> bool:
    """Whether attrs wrote it: the fields tell all, and its hash has a number of this process."""
    return function.__code__.co_filename.startswith("<attrs generated")
