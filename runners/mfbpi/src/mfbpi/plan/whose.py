"""Whose a module is: Python's, an installer's, ours, or the user's.

What is installed is told by its version, and results say that.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

#: Where Python and what is installed lie.
_INSTALLED = tuple(
    Path(sysconfig.get_path(name)).resolve()
    for name in ("stdlib", "platstdlib", "purelib", "platlib")
)

#: Folders in which installers alone write, also those of other environments on the path.
_BY_INSTALLERS = {"site-packages", "dist-packages"}

#: What scripts and notebooks are called, here and in workers.
_MAIN = {"__main__", "__mp_main__"}


def is_of_session(module: object) -> bool:
    """Whether it is the script or notebook, or was made by hand: nobody else can import it."""
    found = sys.modules.get(str(module))
    return module in _MAIN or getattr(found, "__spec__", None) is None


def is_users(module: str) -> bool:
    """Whether a module, by its name, is the user's own: neither Python's, nor installed, nor ours.

    One that was made by hand, as notebooks are, is the user's.
    """
    top = module.partition(".")[0]
    if top in _MAIN:
        return True
    if top in sys.builtin_module_names or is_ours(top):
        return False
    found = sys.modules.get(top)
    files = [getattr(found, "__file__", None), *(getattr(found, "__path__", None) or ())]
    places = [Path(file) for file in files if file]
    if not places:
        return top not in sys.stdlib_module_names
    return not any(map(is_installed, places)) and not was_installed(top)


def is_installed(file: Path) -> bool:
    """Whether a file lies with Python, or with what is installed there."""
    return any(file.resolve().is_relative_to(place) for place in _INSTALLED)


def was_installed(module: str) -> bool:
    """Whether a module lies where an installer put it, though elsewhere than with Python.

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


@functools.cache
def is_ours(name: str) -> bool:
    """Whether a module is one of ours: so is called what it was installed with."""
    if re.fullmatch(r"mfbpi(_\w+)?", name) is None:
        return False
    try:
        metadata.distribution(name.replace("_", "-"))
    except metadata.PackageNotFoundError:
        return False
    except Exception:  # half removed
        return True
    return True
