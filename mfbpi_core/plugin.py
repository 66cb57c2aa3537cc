"""What discovery yields: a usable plugin, or the problem that made it unusable."""

from __future__ import annotations

from typing import Any

import attrs

from mfbpi_core.errors import PluginError
from mfbpi_core.specs import load_object


@attrs.frozen(kw_only=True)
class PluginProblem:
    """Why a distribution's plugins could not be used.

    Attributes:
        distribution: its name.
        version: its version.
        stage: ``"import"``, ``"register"``, ``"hook"`` or ``"spec"``.
        error: the exception.
    """

    distribution: str
    version: str
    stage: str
    error: BaseException

    def __str__(self) -> str:
        cause = f"{type(self.error).__name__}: {self.error}"
        return f"{self.distribution} {self.version} failed at {self.stage}: {cause}"


@attrs.frozen(kw_only=True)
class Plugin:
    """A usable plugin: its spec and where it comes from."""

    kind: str
    spec: Any
    distribution: str
    version: str

    @property
    def qualified_name(self) -> str:
        """``distribution:name``, which is never ambiguous."""
        return f"{self.distribution}:{self.spec.name}"

    def load_factory(self) -> Any:
        """Import the plugin's class; errors name the distribution."""
        return self._load(self.spec.factory)

    def load_config(self) -> Any:
        """Import the plugin's ``Config``; errors name the distribution."""
        return self._load(self.spec.config)

    def _load(self, import_string: str) -> Any:
        try:
            return load_object(import_string)
        except PluginError as error:
            raise PluginError(
                f"{self.kind} {self.spec.name} of {self.distribution} {self.version}: {error}"
            ) from error
