"""The instance that a command asks about: the model of an environment, or a file."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import click
import numpy as np

from mfbpi_core.errors import ModelError, RequirementError, UsageError
from mfbpi_core.mdp import TabularMDP
from mfbpi_core.registry import Registry
from mfbpi_core.task import PluginRef
from mfbpi_run import build, choices
from mfbpi_run.output import warn

#: Discount where neither the user nor an environment's protocol says.
DEFAULT_DISCOUNT = 0.99

#: Arrays of a file: those that it must have, and those that it may have.
_REQUIRED, _OPTIONAL = ("P", "R"), ("initial", "terminal")

Command = Callable[..., Any]
Array = np.ndarray[Any, Any]


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
                help="Parameter of the environment; repeatable.",
            ),
            click.option(
                "--mdp",
                "file",
                type=click.Path(path_type=Path),
                metavar="FILE.npz",
                help="Arrays P [S,A,S] and R [S,A] or [S,A,S]; optional: initial, terminal [S].",
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
        if settings:
            raise UsageError("-E sets parameters of an environment; --mdp takes none")
        return Instance(
            label=file.name,
            mdp=read(file),
            discount=DEFAULT_DISCOUNT if discount is None else discount,
        )
    (choice,) = choices.environments(registry, [str(environment)], settings)
    found = of_environment(registry, choice.ref(), discount)
    label = f"{found.label}({','.join(settings)})" if settings else found.label
    return attrs.evolve(found, label=label)


def of_environment(registry: Registry, ref: PluginRef, discount: float | None) -> Instance:
    """The model of an environment; raises :class:`RequirementError` where it has none."""
    built = build.environment(registry, ref)
    model = built.model
    if model is None:
        raise RequirementError(
            f"environment {ref.shown} has no exact model; bounds and descriptions need one"
        )
    chosen = built.protocol.discount if discount is None else discount
    return Instance(label=ref.shown, mdp=model, discount=chosen)


def read(file: Path) -> TabularMDP:
    """Read an instance from an .npz file; its rewards are taken as deterministic means.

    Raises:
        UsageError: naming the file, and the array or the pair (s, a) at fault.
    """
    arrays = read_arrays(file)
    missing = [name for name in _REQUIRED if name not in arrays]
    if missing:
        raise UsageError(
            f"{file} lacks {' and '.join(missing)}; it has the arrays: "
            f"{', '.join(arrays) or 'none'}; expected P [S,A,S] and R [S,A] or [S,A,S]"
        )
    unknown = [name for name in arrays if name not in _REQUIRED + _OPTIONAL]
    if unknown:
        warn(f"{file}: ignored arrays: {', '.join(unknown)}; known are P, R, initial, terminal")
    optional: dict[str, Any] = {name: arrays[name] for name in _OPTIONAL if name in arrays}
    try:
        return TabularMDP.from_dense(arrays["P"], arrays["R"], **optional)
    except ModelError as error:
        raise UsageError(f"{file}: {error}") from error


def read_array(file: Path, name: str) -> Array:
    """One array of an .npz file."""
    arrays = read_arrays(file)
    if name not in arrays:
        raise UsageError(f"{file} has no array `{name}`; it has: {', '.join(arrays) or 'none'}")
    return arrays[name]


def read_arrays(file: Path) -> dict[str, Array]:
    """Every array of an .npz file; pickled objects are refused."""
    try:
        with zipfile.ZipFile(file):
            pass  # np.load reads other kinds of files too
        with np.load(file, allow_pickle=False) as loaded:
            return {name: np.asarray(loaded[name]) for name in loaded.files}
    except FileNotFoundError as error:
        raise UsageError(f"there is no file {file}") from error
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise UsageError(f"{file} is not an .npz file of plain arrays ({error})") from error
