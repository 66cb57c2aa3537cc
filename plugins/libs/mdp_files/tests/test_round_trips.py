"""Written, read and written again: the same file, and the same model to the last bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mfbpi_core import TabularMDP
from mfbpi_lib_mdp_files import formats
from mfbpi_lib_mdp_files.named import Named

SWEEP = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def drawn(seed: int, *, by_next_state: bool) -> Named:
    """A random model with ends, names and rewards of any sign."""
    rng = np.random.default_rng(seed)
    n_states, n_actions = int(rng.integers(2, 7)), int(rng.integers(1, 4))
    transitions = rng.dirichlet(np.full(n_states, 0.4), size=(n_states, n_actions))
    transitions[rng.random(transitions.shape) < 0.3] = 0.0
    transitions[..., 0] += 1e-3
    transitions /= transitions.sum(axis=2, keepdims=True)
    shape = (n_states, n_actions, n_states) if by_next_state else (n_states, n_actions)
    law = "bernoulli" if rng.random() < 0.3 else "deterministic"
    rewards = rng.random(shape) if law == "bernoulli" else rng.normal(size=shape)
    terminal = rng.random(n_states) < 0.3
    terminal[0] = False
    rewards[terminal] = 0.0
    initial = rng.dirichlet(np.ones(n_states)) * ~terminal
    mdp = TabularMDP.from_dense(
        transitions,
        rewards,
        reward_law=law,  # type: ignore[arg-type]
        initial=initial / initial.sum(),
        terminal=terminal,
        reward_range=(0.0, 1.0) if law == "bernoulli" else (-9.0, 9.0),
    )
    return Named(
        mdp=mdp,
        states=tuple(f"zimmer {s}, #{s}" for s in range(n_states)),
        actions=tuple(f'"{a}' for a in range(n_actions)),
        discount=float(rng.uniform(0.1, 0.999)),
    )


@pytest.mark.parametrize("ending", formats.WRITABLE)
@SWEEP
@given(seed=st.integers(0, 10**6))
def test_round_trips_are_exact(ending: str, seed: int, tmp_path: Path) -> None:
    """For each format: the second file is the first, and nothing of the model has changed."""
    model = drawn(seed, by_next_state=ending != ".drn")
    first, second = tmp_path / f"one{ending}", tmp_path / f"two{ending}"
    formats.write(model, first)
    again = formats.read(first)
    formats.write(again, second)

    if ending != ".npz":  # archives hold the time
        assert first.read_bytes() == second.read_bytes()
    assert (again.states, again.actions, again.discount) == (
        model.states,
        model.actions,
        model.discount,
    )
    assert again.mdp.reward_law == model.mdp.reward_law
    assert again.mdp.reward_range == model.mdp.reward_range
    assert np.array_equal(again.mdp.terminal, model.mdp.terminal)
    assert list(again.rows()) == list(model.rows()) or ending == ".npz"
    if ending == ".npz":
        assert np.allclose(again.mdp.transitions, model.mdp.transitions, rtol=1e-15, atol=0.0)
    else:
        assert np.array_equal(again.mdp.initial, model.mdp.initial)
