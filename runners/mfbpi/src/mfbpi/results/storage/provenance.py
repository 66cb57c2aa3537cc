"""Where a result comes from: versions and platform, and nothing that names a person or a host."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path

import mfbpi_core
from mfbpi.results.storage import sources
from mfbpi.results.storage.used import Used
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.plugins.plugin import Plugin

#: Module to distribution of the libraries whose version can change a number.
_LIBRARIES = {
    "numpy": "numpy",
    "scipy": "scipy",
    "numba": "numba",
    "pyarrow": "pyarrow",
    "torch": "torch",
    "cvxpy": "cvxpy",
    "clarabel": "clarabel",
    "highspy": "highspy",
    "bsuite": "bsuite",
}

#: The groups of programs, and of what else a result was made with.
GROUPS = ("plugins", "libraries", "made_of")

_OURS = re.compile(r"mfbpi(_(core|run|lib_\w+))?")

# An absolute path of at least two parts; not the "//" of a web address, nor a fraction.
_ABSOLUTE_PATH = re.compile(r"(?<![\w./:])/(?:[^\s/\"'<>|]+/)+([^\s/\"'<>|:,)]+)")


def describe(used: Used) -> JsonObject:
    """Distributions, libraries, files, source revision and platform of this process."""
    return {
        **versions(used),
        "git": dict(revision()),
        "platform": {
            "system": platform.system(),
            "machine": platform.machine(),
            "implementation": platform.python_implementation(),
        },
    }


def versions(used: Used) -> dict[str, dict[str, str]]:
    """Versions of all that can change a number in this process, by :data:`GROUPS`."""
    return {
        "plugins": _plugins(used.plugins),
        "libraries": _libraries(),
        "made_of": dict(used.made_of),
    }


def installed(
    before: Mapping[str, Mapping[str, str]], made_of: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """Versions, as installed now, of what :func:`versions` named before; nothing is imported.

    Args:
        before: those versions, which may come out of anybody's file.
        made_of: the same of files and modules. They are the caller's to look up, for no file is
            read because another one names it.
    """
    return {
        "plugins": {name: _version(name) for name in before["plugins"]},
        "libraries": {
            name: platform.python_version()
            if name == "python"
            else _version(_LIBRARIES.get(name, name))
            for name in before["libraries"]
        },
        "made_of": dict(made_of),
    }


def changes(
    before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """What has another version now, such as ``"numpy 2.0 then and 2.1 now"``."""
    return [
        f"{name} {version} then and {now[group].get(name, 'not used')} now"
        for group in GROUPS
        for name, version in before.get(group, {}).items()
        if now[group].get(name) != version
    ]


def of_plugins(used: Iterable[Plugin]) -> dict[str, str]:
    """The versions of the distributions of plugins, as this process has loaded them."""
    return {
        plugin.distribution: plugin.version + _loaded_suffix(plugin.distribution) for plugin in used
    }


def _plugins(used: Iterable[Plugin]) -> dict[str, str]:
    """The distributions of the plugins used, of the core, the runner and the libs loaded."""
    versions = of_plugins(used)
    ours = [name for name in sys.modules if name.startswith("mfbpi")]  # quicker than the pattern
    for module in filter(_OURS.fullmatch, ours):
        distribution = module.replace("_", "-")
        versions[distribution] = _loaded_version(distribution)
    return dict(sorted(versions.items()))


def _libraries() -> dict[str, str]:
    loaded = {
        module: _loaded_version(distribution)
        for module, distribution in _LIBRARIES.items()
        if module in sys.modules
    }
    return {"python": platform.python_version(), **loaded}


def _version(distribution: str) -> str:
    if "#" in distribution:  # a plugin without packaging is named after its content
        return distribution.rpartition("#")[2]
    try:
        return metadata.version(distribution) + sources.suffix(distribution)
    except Exception:  # not installed, or half removed, where importlib raises whatever comes
        return "unknown"


@functools.cache
def _loaded_version(distribution: str) -> str:
    """The same of what this process has imported: read once, with no task slower for it."""
    return _version(distribution)


_loaded_suffix = functools.cache(sources.suffix)


@functools.cache
def revision() -> tuple[tuple[str, object], ...]:
    """Commit of the source tree that the core is run from, and whether it was changed since.

    Both are None where the core is installed as a wheel.
    """
    folder = Path(mfbpi_core.__file__).parent
    tracked = _git(folder, "ls-files", "--error-unmatch", "__init__.py")
    described = tracked and _git(
        folder, "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"
    )
    if not described:
        return (("commit", None), ("dirty", None))
    commit = described.removesuffix("-dirty")
    return (("commit", commit), ("dirty", commit != described))


def _git(folder: Path, *arguments: str) -> str | None:
    """Output of a git command, or None where it fails or there is no git."""
    # Without optional locks a worker never writes to the repository.
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
            env=environment,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def without_paths(text: str) -> str:
    """Make the paths in a traceback or message relative, so that they name no person or host."""
    known = {*sys.path, sys.prefix, sys.base_prefix, *_places()}
    for prefix in sorted(known, key=len, reverse=True):
        if len(prefix) > 1:
            text = text.replace(prefix + os.sep, "")
    return _ABSOLUTE_PATH.sub(r"\1", text)


def _places() -> Iterator[str]:
    """The working directory and that of temporary files, where there are such."""
    for place in (os.getcwd, tempfile.gettempdir):
        with contextlib.suppress(OSError):
            yield place()
