"""The instance that a command asks about: the model of an environment, or a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from mfbpi.execute.working.causes import foreign
from mfbpi.instances import environment_files, model_file
from mfbpi.notices import about
from mfbpi.plan import selection as choices
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data import exact
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.task import PluginRef
from mfbpi_core.errors import RequirementError, UsageError
from mfbpi_core.plugins import assembly as build
from mfbpi_core.plugins.registry import Registry

#: Discount where neither the user nor an environment's protocol says.
DEFAULT_DISCOUNT = 0.99


@attrs.frozen(kw_only=True, eq=False)
class Instance:
    """A model with the discount at which it is asked about, and a name for the tables.

    ``environment``: what it is the model of, if it is there; ``names``: what else says how states
    and actions are called.
    """

    label: str
    mdp: TabularMDP
    discount: float
    environment: Environment | None = None
    names: tuple[tuple[str, ...] | None, tuple[str, ...] | None] = (None, None)

    @property
    def state_names(self) -> tuple[str, ...] | None:
        """What the states are called; None for their numbers."""
        return self.names[0] if self.environment is None else self.environment.state_names

    @property
    def action_names(self) -> tuple[str, ...] | None:
        """The same for actions."""
        return self.names[1] if self.environment is None else self.environment.action_names


def find(
    registry: Registry,
    *,
    environment: str | None,
    settings: Sequence[str],
    file: Path | None,
    discount: float | None,
) -> Instance:
    """Find the instance that the options name.

    Raises:
        UsageError: when they name none, or two, or something without a model.
    """
    if (environment is None) == (file is None):
        raise UsageError("give either `environment` NAME or `file` FILE")
    check_discount(discount)
    if file is not None and environment_files.is_known(registry, file):
        environment = environment_files.name(registry, file)
    elif file is not None:
        with about(str(file)):
            found = model_file.read(file, settings)
        says = DEFAULT_DISCOUNT if found.discount is None else found.discount
        return Instance(
            label=file.name,
            mdp=found.mdp,
            discount=says if discount is None else discount,
            names=(found.states, found.actions),
        )
    (choice,) = choices.environments(registry, [str(environment)], settings)
    return of_environment(registry, choice.ref(), discount)


def check_discount(discount: float | None) -> None:
    """Refuse a discount that is none; raises :class:`UsageError`."""
    number = exact.real(discount)
    if discount is not None and (number is None or not 0.0 < number < 1.0):
        told = exact.shown(discount) if number is None else f"{number:g}"
        raise UsageError(f"`discount` is {told}; expected a number between 0 and 1")


def of_environment(registry: Registry, ref: PluginRef, discount: float | None) -> Instance:
    """The model of an environment; raises :class:`RequirementError` where it has none."""
    with about(f"environment {ref.shown}"):
        built = build.environment(build.find(registry, "environment", ref))
    return of_built(built, ref.shown, discount)


def of_built(built: Environment, label: str, discount: float | None) -> Instance:
    """The model of an environment that is there; as :func:`of_environment`."""
    with about(f"environment {label}"), foreign(f"the model of environment {label}"):
        model = built.model
    if model is None:
        why = "".join(f": {text}" for text in [built.lacking.get("model")] if text)
        raise RequirementError(
            f"environment {label} has no exact model; bounds and descriptions need one{why}"
        )
    chosen = built.protocol.discount if discount is None else discount
    return Instance(label=label, mdp=model, discount=chosen, environment=built)
