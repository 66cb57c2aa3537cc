"""What discovery yields: a usable plugin, or the problem that made it unusable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

import attrs

from mfbpi_core.contracts.configured import C
from mfbpi_core.contracts.parameters.bounds import names_a_bound
from mfbpi_core.errors import PluginError
from mfbpi_core.plugins.factories import Factory, check_config
from mfbpi_core.plugins.kinds import KINDS
from mfbpi_core.plugins.spec import load_object
from mfbpi_core.text import said

T = TypeVar("T")


@attrs.frozen(kw_only=True)
class PluginProblem:
    """Why a distribution's plugins could not be used.

    Attributes:
        distribution: its name.
        version: its version.
        stage: ``"metadata"``, ``"import"``, ``"register"``, ``"hook"`` or ``"spec"``.
        error: the exception.
    """

    distribution: str
    version: str
    stage: str
    error: BaseException

    def __str__(self) -> str:
        cause = f"{type(self.error).__name__}: {said(self.error)}"
        return f"{self.distribution} {self.version} failed at {self.stage}: {cause}"


@attrs.frozen(kw_only=True)
class Plugin(Generic[C]):
    """A usable plugin: its spec and where it comes from."""

    #: What is raised where it breaks its contract.
    fault: ClassVar[type[PluginError]] = PluginError

    kind: str
    spec: Any  # of its kind, whose fields it has
    distribution: str
    version: str

    @property
    def qualified_name(self) -> str:
        """``distribution:name``, which is never ambiguous."""
        return f"{self.distribution}:{self.spec.name}"

    @property
    def described(self) -> str:
        """How messages call it: ``agent mf_bpi of mfbpi-agent-mf-bpi 0.1.0``, or of a file."""
        return f"{self.kind} {self.spec.name} of {self.origin_shown}"

    @property
    def origin_shown(self) -> str:
        """Its distribution and version; of a file the name, which says what it holds."""
        in_name = self.distribution.endswith(f"#{self.version}")
        return self.distribution if in_name else f"{self.distribution} {self.version}"

    def load_factory(self) -> Any:
        """Import what builds the plugin, and check that it can.

        Raises:
            PluginError: naming the distribution.
        """
        keywords = ("bound",) if names_a_bound(self.load_config()) else ()
        return self._load(
            self.spec.factory, lambda name, made: self._factory.check_factory(name, made, *keywords)
        )

    def load_preset(self) -> Any:
        """Import the function of an agent's published settings; raises :class:`PluginError`."""
        return self._load_other("preset")

    def load_replicas(self) -> Any:
        """Import what builds replicas of an agent; raises :class:`PluginError`."""
        return self._load_other("replicas")

    def load_config(self) -> type[C]:
        """Import the plugin's ``Config``, an attrs class; raises :class:`PluginError`."""
        config: type[C] = self._load(self.spec.config, check_config)
        return config

    def build(self, *arguments: object, **named: object) -> Any:
        """Call the factory; what it returns fulfils the contract of its kind.

        Raises:
            PluginError: naming the distribution, when it returned something else.
        """
        built = self.load_factory()(*arguments, **named)
        self._naming(lambda: self._factory.check_built(self.spec.factory, built))
        return built

    def build_replicas(self, *arguments: Any) -> Any:
        """The same for replicas of an agent, one for each of the generators, which come last."""
        built = self.load_replicas()(*arguments)
        factory = KINDS[self.kind].others["replicas"]
        self._naming(lambda: factory.check_built(self.spec.replicas, built))
        n_built, n_asked = len(built.agents), len(arguments[-1])
        if n_built != n_asked:
            raise PluginError(
                f"{self.described}: {self.spec.replicas} built {n_built} replicas; expected "
                f"{n_asked}, one for each generator"
            )
        return built

    @property
    def _factory(self) -> Factory:
        return KINDS[self.kind].factory

    def _load_other(self, field: str) -> Any:
        """What else the spec names that builds something."""
        check = KINDS[self.kind].others[field].check_factory
        return self._load(getattr(self.spec, field), check)

    def _load(self, import_string: str, check: Callable[[str, Any], None]) -> Any:
        def load() -> Any:
            """Import it, and check it."""
            loaded = load_object(import_string)
            check(import_string, loaded)
            return loaded

        return self._naming(load)

    def _naming(self, act: Callable[[], T]) -> T:
        try:
            return act()
        except PluginError as error:
            raise PluginError(f"{self.described}: {error}") from error
