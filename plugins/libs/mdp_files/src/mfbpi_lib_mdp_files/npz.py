"""Arrays of numpy: P [S,A,S] and R [S,A] or [S,A,S], and what else a model may have."""

from __future__ import annotations

from pathlib import Path

import attrs
import numpy as np

from mfbpi_core.data.plain import JsonObject
from mfbpi_core.errors import UsageError
from mfbpi_lib_mdp_files.named import Named
from mfbpi_lib_tabular.models import arrays


def read(file: Path, reward_range: tuple[float, float] | None = None) -> Named:
    """Read arrays, none of them pickled; raises :class:`UsageError` naming what is wrong."""
    given = arrays.read(file)
    wrong = [n for n in arrays.REQUIRED if n not in given]
    wrong = wrong or [n for n in given if n not in arrays.KNOWN]
    if wrong:
        raise UsageError(
            f"{file} has {', '.join(given)}; expected P and R, and of {', '.join(arrays.KNOWN[2:])}"
        )
    limits = {} if reward_range is None else {"reward_range": reward_range}
    found = arrays.model(file, given, limits)
    plain = Named.numbered(found.mdp, found.discount)
    return attrs.evolve(
        plain, states=found.states or plain.states, actions=found.actions or plain.actions
    )


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
    optional: JsonObject = {} if model.discount is None else {"discount": model.discount}
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
