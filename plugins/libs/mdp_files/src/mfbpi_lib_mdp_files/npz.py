"""Arrays of numpy: P [S,A,S] and R [S,A] or [S,A,S], and what else a model may have."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from mfbpi_core import TabularMDP
from mfbpi_core.errors import ModelError, UsageError
from mfbpi_lib_mdp_files.named import Named

_MODEL = ("initial", "terminal", "reward_range")
_KNOWN = ("P", "R", *_MODEL, "reward_law", "discount", "states", "actions")


def read(file: Path, reward_range: tuple[float, float] | None = None) -> Named:
    """Read arrays, none of them pickled; raises :class:`UsageError` naming what is wrong."""
    try:
        with zipfile.ZipFile(file):
            pass  # numpy reads other kinds of files too
        with np.load(file, allow_pickle=False) as loaded:
            arrays = {name: np.asarray(loaded[name]) for name in loaded.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise UsageError(f"{file.name} is not an .npz file of plain arrays ({error})") from error
    wrong = [n for n in ("P", "R") if n not in arrays] or [n for n in arrays if n not in _KNOWN]
    if wrong:
        raise UsageError(f"{file.name} has {', '.join(arrays)}; expected P and R, and of {_KNOWN}")
    optional: dict[str, Any] = {name: arrays[name] for name in _MODEL if name in arrays}
    if reward_range is not None:
        optional["reward_range"] = reward_range
    law: Any = str(arrays.get("reward_law", "deterministic"))
    try:
        mdp = TabularMDP.from_dense(arrays["P"], arrays["R"], reward_law=law, **optional)
    except ModelError as error:
        raise UsageError(f"{file.name}: {error}") from error
    plain = Named.numbered(mdp)
    discount = float(arrays["discount"]) if "discount" in arrays else None
    return Named(
        mdp=mdp,
        states=_names(arrays, "states", plain.states, file.name),
        actions=_names(arrays, "actions", plain.actions, file.name),
        discount=discount,
    )


def _names(arrays: dict[str, Any], key: str, plain: tuple[str, ...], name: str) -> tuple[str, ...]:
    if key not in arrays:
        return plain
    found = tuple(map(str, arrays[key].reshape(-1)))
    if len(found) != len(plain) or len(set(found)) < len(found):
        raise UsageError(f"{name}: {key} has {len(found)} names; expected {len(plain)} distinct")
    return found


def write(model: Named, file: Path) -> None:
    """Write arrays; raises :class:`UsageError` where one next state is paid differently."""
    mdp = model.mdp
    rewards = np.zeros((mdp.n_states, mdp.n_actions, mdp.n_states))  # R[s, a, s']
    dense, seen = np.zeros_like(rewards), np.zeros(rewards.shape, dtype=np.bool_)
    for s, a, following, p, r, _ in model.rows():
        place = s, a, following
        if seen[place]:
            raise UsageError(
                f"state {model.states[s]}, action {model.actions[a]} leads to state "
                f"{model.states[following]} with different rewards, for which .npz has no place; "
                "write .csv, .json or .parquet"
            )
        dense[place], rewards[place], seen[place] = p, r, True
    for end in np.flatnonzero(mdp.terminal):
        dense[end, :, end] = 1.0
    optional: dict[str, Any] = {} if model.discount is None else {"discount": model.discount}
    np.savez_compressed(
        file,
        P=dense,
        R=rewards,
        initial=mdp.initial,
        terminal=mdp.terminal,
        reward_range=np.array(mdp.reward_range),
        reward_law=mdp.reward_law,
        states=np.array(model.states),
        actions=np.array(model.actions),
        **optional,
    )
