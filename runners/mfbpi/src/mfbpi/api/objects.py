"""Objects in the place of an environment's name: models, their files, and what cannot be taken.

A task is rebuilt in a worker from its parameters, so that a model goes there as a file: named by
what it holds, below :data:`FOLDER`.
"""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path

import numpy as np

from mfbpi.instances import environment_files
from mfbpi.instances.instance import DEFAULT_DISCOUNT
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.text import shortened

#: Where models are written, in the working directory.
FOLDER = Path("models")

#: How models are written: in a format that holds any of them, and large sparse ones as such.
_ENDING = ".parquet"

#: Characters of a value that a message shows.
_LONGEST_SHOWN = 80


def model_called(model: TabularMDP) -> str:
    """What a model is called: ``mdp_`` and digits that stand for all that it holds."""
    held = hashlib.sha256(repr((model.reward_law, model.reward_range)).encode())
    for name in ("successors", "probabilities", "rewards", "initial", "terminal"):
        array = np.ascontiguousarray(getattr(model, name))
        held.update(f"{name}{array.dtype.str}{array.shape}".encode())
        held.update(array.tobytes())
    return f"mdp_{held.hexdigest()[:12]}"


def written(registry: Registry, model: TabularMDP, folder: Path = FOLDER) -> str:
    """The name under which a model is an environment, written to a file of its own.

    One that is there is written again: somebody may have put another in its place.

    Raises:
        UsageError: when it cannot be written, or no plugin writes models.
    """
    file = folder / f"{model_called(model)}{_ENDING}"
    draft = folder / f".{secrets.token_hex(8)}{_ENDING}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        environment_files.write(registry, model, None, DEFAULT_DISCOUNT, draft)
        draft.replace(file)  # whole or not at all, whoever else writes the same
    except OSError as error:
        raise UsageError(
            f"the model cannot be written to {file}, from where workers would read it: "
            f"{error.strerror or error}"
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return environment_files.name(registry, file)


def shown(given: object) -> str:
    """What something is, for messages: small values themselves, of others the type and shape."""
    if given is None or isinstance(given, str | int | float):
        return shortened(repr(given), _LONGEST_SHOWN)
    if isinstance(given, type):
        return f"the class {given.__module__}.{given.__qualname__}"
    size = getattr(given, "shape", None)
    of_size = f" of shape {size}" if isinstance(size, tuple) else ""
    return f"an object of {type(given).__module__}.{type(given).__qualname__}{of_size}"


def advice(given: object) -> str:
    """What to do with something that cannot be run, as the end of a message."""
    if isinstance(given, Environment):
        return (
            "; each task builds its own environment, so give the name, the class, or what "
            "`mfbpi.environment(...)` returns, instead of one that is made already"
        )
    if isinstance(given, type) and steps(given):
        return (
            "; a class of Gymnasium is run by an id: register it in a module that workers can "
            "import, `gymnasium.register(id=ID, entry_point='MODULE:CLASS')`, and give "
            "'gymnasium:MODULE:ID'"
        )
    if steps(given):
        return (
            "; each task builds its own environment, so give the id instead of one that is made "
            f"already: {_by_id(given)}, or, where it has one, its exact model, "
            "`mfbpi.make_environment(it).model`"
        )
    if isinstance(getattr(given, "shape", given), tuple | list):
        return "; of arrays, `mfbpi.mdp(P, R)` makes a model"
    return ""


def steps(given: object) -> bool:
    """Whether it looks like an environment, or a class of them."""
    return callable(getattr(given, "step", None)) and callable(getattr(given, "reset", None))


def _by_id(given: object) -> str:
    known = getattr(getattr(given, "spec", None), "id", None)
    if isinstance(known, str):
        return repr(f"gymnasium:{known}")
    return "'gymnasium:MODULE:ID' of a module that registers it with `gymnasium.register`"
