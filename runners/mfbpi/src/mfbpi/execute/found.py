"""The plugins of a run, looked for once in each process that runs some of its tasks."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from mfbpi.plan.in_file import InFile
from mfbpi.plan.own import InSession, origins, plugin_of, take_in
from mfbpi_core.plugins.registry import Registry


@attrs.define
class Found:
    """Finds plugins at the first call; sent to another process, it looks for them there.

    Attributes:
        own: those without packaging.
    """

    own: tuple[InFile | InSession, ...] = ()
    _registry: Registry | None = None

    @classmethod
    def already(cls, registry: Registry) -> Found:
        """What this process has found before."""
        return cls(origins(registry), registry)

    def __call__(self) -> Registry:
        """The plugins."""
        if self._registry is None:
            registry = Registry.discover()
            take_in(registry, list(map(plugin_of, self.own)))
            self._registry = registry
        return self._registry

    def __reduce__(self) -> tuple[Callable[..., Found], tuple[object, ...]]:
        """Without what was found: that holds modules, which are no data."""
        return Found, (self.own,)
