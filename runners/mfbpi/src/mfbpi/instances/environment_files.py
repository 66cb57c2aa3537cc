"""Files that environments are made of, and written to: by the plugins that know their endings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.assembly import blaming
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.plugins.spec import load_object

#: Ending of files that :mod:`mfbpi.instances.model_file` reads.
ARRAYS = ".npz"


def is_known(registry: Registry, file: Path) -> bool:
    """Whether a plugin reads files of that ending, arrays left out: these need no plugin here."""
    plugins = registry.of_kind("environment")
    ending = file.suffix.lower()
    return ending != ARRAYS and any(ending in plugin.spec.reads for plugin in plugins)


def name(registry: Registry, file: Path) -> str:
    """The name under which a file is an environment, such as ``mdp_file:maze.csv``.

    Raises:
        UsageError: when no plugin reads files of that ending, or there is no such file.
    """
    readers = [p for p in registry.of_kind("environment") if p.spec.reads]
    for plugin in readers:
        if file.suffix.lower() in plugin.spec.reads:
            if not file.is_file():
                raise UsageError(f"there is no file {file}")
            return f"{plugin.spec.name}:{file}"
    known = sorted({ending for plugin in readers for ending in plugin.spec.reads})
    raise UsageError(
        f"{file} ends in {file.suffix!r}; installed plugins read {', '.join(known) or 'no files'}"
    )


def write(
    registry: Registry,
    mdp: TabularMDP,
    environment: Environment | None,
    discount: float,
    file: Path,
) -> None:
    """Write a model to a file whose ending says the format.

    Args:
        registry: the plugins.
        mdp: the model.
        environment: what it is of, whose names of states are kept; None for none.
        discount: gamma.
        file: where to.

    Raises:
        UsageError: when no plugin writes such files, or the format cannot hold the model.
    """
    plugin = _writer(registry)
    with blaming(plugin):
        written: Any = load_object(plugin.spec.writes)
        written(mdp, environment, discount, file)


def _writer(registry: Registry) -> Plugin:
    for plugin in registry.of_kind("environment"):
        if plugin.spec.writes:
            return plugin
    raise UsageError("no installed plugin writes models to files (mfbpi-env-mdp-file does)")
