"""What a kind of plugin is: what differs between kinds, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from mfbpi_core.plugins.factories import Factory
from mfbpi_core.plugins.spec import Spec, load_object

#: Names that start so in the module of an entry point are hooks, and nothing else.
PREFIX = "mfbpi_"


@attrs.frozen(kw_only=True)
class Scaffold:
    """What ``mfbpi new`` writes.

    Attributes:
        templates: ``"package:folder"`` of the files ``__init__.py.tmpl`` and ``MODULE.py.tmpl``.
        module: name of the module with the plugin's class.
        dependencies: of the new distribution, beside mfbpi-core.
        use: a command that uses the plugin, with ``{name}`` for its name.
    """

    templates: str
    module: str
    dependencies: tuple[str, ...] = ()
    use: str


@attrs.frozen
class Fact:
    """What ``mfbpi show`` says of a field of the spec, where it is set.

    Attributes:
        field: of the spec.
        label: in front.
        says: instead of the field's value, if it is not empty.
    """

    field: str
    label: str
    says: str = ""


@attrs.frozen(kw_only=True)
class Kind:
    """A kind of plugin.

    Attributes:
        name: in the singular, as ``mfbpi list`` takes it.
        spec: what plugins of it declare; subclasses are of it too.
        factory: what the spec's factory is called with, and must build.
        others: what else the spec may name that builds something, by the spec's field.
        checks: import strings of tuples of conformance checks, beside those of every plugin.
        facts: what ``mfbpi show`` says beside name, summary, source, columns and parameters.
        scaffold: what ``mfbpi new`` writes; None where it writes nothing.
        prefix: of distributions and packages, after ``mfbpi``; the name if empty.
        plural: the name with an s if empty.
        folder: of its plugins in this repository; the plural if empty.
        aliases: other words for it on the command line.
    """

    name: str
    spec: type[Spec]
    factory: Factory
    others: Mapping[str, Factory] = attrs.field(factory=dict)
    checks: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    scaffold: Scaffold | None = None
    prefix: str = attrs.field(default=attrs.Factory(lambda kind: kind.name, takes_self=True))
    plural: str = attrs.field(default=attrs.Factory(lambda kind: f"{kind.name}s", takes_self=True))
    folder: str = attrs.field(default=attrs.Factory(lambda kind: kind.plural, takes_self=True))
    aliases: tuple[str, ...] = ()

    @property
    def hook(self) -> str:
        """Name of the hook from which plugins yield their specs."""
        return f"{PREFIX}{self.plural}"

    @property
    def words(self) -> frozenset[str]:
        """Everything that it is called by."""
        return frozenset((self.name, self.plural, *self.aliases))

    def load_checks(self) -> tuple[Callable[[Any], None], ...]:
        """Import the conformance checks; raises :class:`PluginError`."""
        return tuple(check for each in self.checks for check in load_object(each))
