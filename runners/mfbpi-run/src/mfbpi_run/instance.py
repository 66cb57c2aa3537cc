"""The instance that a command asks about: the model of an environment, or a file."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import click

from mfbpi_core.errors import ModelWarning, RequirementError, UsageError
from mfbpi_core.mdp import TabularMDP
from mfbpi_core.registry import Registry
from mfbpi_core.task import PluginRef
from mfbpi_run import build, choices, model_file
from mfbpi_run.output import warn

#: Discount where neither the user nor an environment's protocol says.
DEFAULT_DISCOUNT = 0.99

Command = Callable[..., Any]


@attrs.frozen(kw_only=True, eq=False)
class Instance:
    """A model with the discount at which it is asked about, and a name for the tables."""

    label: str
    mdp: TabularMDP
    discount: float


def options(command: Command) -> Command:
    """Give a command the options ``--env``, ``-E``, ``--mdp`` and ``--discount``."""
    for option in reversed(
        (
            click.option("--env", "environment", metavar="NAME", help="Environment with a model."),
            click.option(
                "-E",
                "settings",
                multiple=True,
                metavar="KEY=VALUE",
                help="Parameter of the environment; repeatable. Of a file: reward_range=LOW,HIGH.",
            ),
            click.option(
                "--mdp",
                "file",
                type=click.Path(path_type=Path),
                metavar="FILE.npz",
                help="Arrays P [S,A,S] and R [S,A] or [S,A,S]; optional: initial, terminal [S], "
                "reward_range [2].",
            ),
            click.option(
                "--discount",
                type=float,
                metavar="GAMMA",
                help="Discount factor, in (0, 1). Default: the environment's, or 0.99.",
            ),
        )
    ):
        command = option(command)
    return command


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
        raise UsageError("give either --env NAME or --mdp FILE.npz")
    if discount is not None and not 0.0 < discount < 1.0:
        raise UsageError(f"--discount is {discount:g}; expected a number between 0 and 1")
    if file is not None:
        with shown_warnings(f"{file}: "):
            mdp = model_file.read(file, settings)
        chosen = DEFAULT_DISCOUNT if discount is None else discount
        return Instance(label=file.name, mdp=mdp, discount=chosen)
    (choice,) = choices.environments(registry, [str(environment)], settings)
    return of_environment(registry, choice.ref(), discount)


def of_environment(registry: Registry, ref: PluginRef, discount: float | None) -> Instance:
    """The model of an environment; raises :class:`RequirementError` where it has none."""
    with shown_warnings(f"environment {ref.shown}: "):
        built = build.environment(registry, ref)
        model = built.model
    if model is None:
        raise RequirementError(
            f"environment {ref.shown} has no exact model; bounds and descriptions need one"
        )
    chosen = built.protocol.discount if discount is None else discount
    return Instance(label=ref.shown, mdp=model, discount=chosen)


@contextmanager
def shown_warnings(prefix: str) -> Iterator[None]:
    """Show what Python code warns of meanwhile as one line each, as the commands do."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        yield
    for warning in caught:
        warn(f"{prefix}{warning.message}")
