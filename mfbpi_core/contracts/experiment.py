"""Experiments as data: which grids are run, which instances are measured, what is drawn.

Where a parameter is a tuple, every value is tried: one agent or environment for each.

Example:
    >>> from mfbpi_core.contracts.experiment import Choice
    >>> [choice.label for choice in Choice("riverswim", n_states=(5, 10)).expand()]
    ['riverswim(n_states=5)', 'riverswim(n_states=10)']
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import attrs

from mfbpi_core.contracts.bound import Constraint
from mfbpi_core.contracts.run_settings import RunSettings as RunSettings  # part of this module
from mfbpi_core.data.plain import JsonObject, plain
from mfbpi_core.errors import ConfigError


def labelled(name: str, settings: Mapping[str, object]) -> str:
    """How something with these parameters is called: ``riverswim(n_states=5)``."""
    inside = ",".join(f"{key}={value}" for key, value in settings.items())
    return f"{name}({inside})" if inside else name


@attrs.frozen(init=False)
class Choice:
    """A plugin by name, with values of its parameters.

    Attributes:
        name: name of the plugin.
        parameters: parameter to value; a tuple stands for each of its values in turn.
        label: how it is called in the results; the name with the parameters that are set if empty.
        replicate: the parameter whose values are independent draws of one thing, such as the
            seed of a random instance; it stays out of the label.
    """

    name: str
    parameters: JsonObject
    label: str
    replicate: str

    def __init__(
        self, name: str, /, *, label: str = "", replicate: str = "", **parameters: object
    ) -> None:
        values = {key: plain(value) for key, value in parameters.items()}
        self.__attrs_init__(name, values, label or name, replicate)

    def expand(self) -> Iterator[Choice]:
        """One choice for each combination of values.

        Each is labelled by its name and every parameter that is set, so that nothing is called
        after its name alone unless it has the default parameters. A label that was given stands
        for what is set, and is followed by what varies.

        Raises:
            ConfigError: when a parameter varies over no values at all.
        """
        varying = {key: v for key, v in self.parameters.items() if isinstance(v, tuple)}
        for key, values in varying.items():
            if not values:
                raise ConfigError(f"{self.label}: {key} has no values; expected one or more")
        told = varying if self.label != self.name else self.parameters
        for values in itertools.product(*varying.values()):
            point = dict(zip(varying, values, strict=True))
            shown = {key: point.get(key, value) for key, value in told.items()}
            shown.pop(self.replicate, None)
            label = labelled(self.label, shown)
            # A value that is itself a tuple becomes a list, so that it does not vary again.
            single = {key: list(v) if isinstance(v, tuple) else v for key, v in point.items()}
            parameters = {**self.parameters, **single}
            yield Choice(self.name, label=label, replicate=self.replicate, **parameters)

    def expand_replicates(self) -> Iterator[tuple[Choice, int | None]]:
        """As :meth:`expand`, each with the value of its replicate parameter, or None."""
        for choice in self.expand():
            yield choice, choice.parameters[self.replicate] if self.replicate else None


@attrs.frozen(kw_only=True)
class RunGrid(RunSettings):
    """Agents x environments x seeds.

    Attributes:
        agents: the agents.
        environments: the environments.
        discounts: discount by label of the environment, before that of all; for instances that
            are compared at discounts of their own.
    """

    agents: tuple[Choice, ...]
    environments: tuple[Choice, ...]
    discounts: dict[str, float] = attrs.field(factory=dict)

    def with_seeds(self, seeds: str | None) -> RunGrid:
        """The same with other seeds; with its own if None."""
        return self if seeds is None else attrs.evolve(self, seeds=seeds)


@attrs.frozen(kw_only=True)
class InstanceStudy:
    """Quantities and bounds of instances; nothing is run.

    Attributes:
        environments: environments with a model.
        discounts: each is tried.
        quantities: whether the quantities of ``mfbpi describe`` are tabulated.
        moments: orders k of the moments that are tabulated.
        bounds: bounds that are minimised, and evaluated at each other's optimal allocation.
        constraints: each is tried.
    """

    environments: tuple[Choice, ...]
    discounts: tuple[float, ...]
    quantities: bool = False
    moments: tuple[int, ...] = ()
    bounds: tuple[Choice, ...] = ()
    constraints: tuple[Constraint, ...] = ("generative",)


@attrs.frozen(kw_only=True)
class Experiment:
    """What ``mfbpi sweep NAME`` does: runs, or studies.

    Attributes:
        summary: one line.
        reference: paper, figure or table.
        runs: a grid of runs, or None.
        studies: studies of instances.
        figures: file stem to import string of a function from the table of results (pyarrow) to
            a matplotlib figure.
        finding: import string of a function from the table of results to a sentence, what these
            results show; empty for none.
        notes: what a reader of the results should know beforehand.
    """

    summary: str
    reference: str = ""
    runs: RunGrid | None = None
    studies: tuple[InstanceStudy, ...] = ()
    figures: dict[str, str] = attrs.field(factory=dict)
    finding: str = ""
    notes: str = ""
