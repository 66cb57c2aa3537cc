"""What bounds of advantages and losses say: whether the policy is identified, and why not yet."""

from __future__ import annotations

import numpy as np

from mfbpi_core.data.arrays import BoolArray, FloatArray, IntArray
from mfbpi_core.errors import ConfigError
from mfbpi_lib_confidence.evidence import Evidence


def checked_scope(evidence: Evidence, epsilon: float, scope: BoolArray | None) -> BoolArray:
    """States that matter, bool [S]; terminal ones never do."""
    if not (np.isfinite(epsilon) and epsilon >= 0.0):
        raise ConfigError(f"epsilon is {epsilon!r}; expected a finite loss of 0 or more")
    alive = ~evidence.terminal
    if scope is None:
        return alive
    if scope.shape != alive.shape or scope.dtype != np.bool_:
        raise ConfigError(f"the scope is {scope.dtype} {scope.shape}; expected bool {alive.shape}")
    if epsilon == 0.0 and (alive & ~scope).any():
        raise ConfigError(
            "epsilon = 0 needs the scope of all states: advantages of some states prove nothing "
            "while the true model may lead to others; choose epsilon > 0 or scope all"
        )
    return scope & alive


def verdict(
    evidence: Evidence,
    rivals: BoolArray,
    advantages: FloatArray,
    gap: FloatArray,
    matter: BoolArray,
    epsilon: float,
    slack: float,
) -> tuple[bool, str]:
    """Whether pi is identified, and why; no bound that is not finite ever passes."""
    if not matter.any():
        return False, "no state in scope"
    unseen = np.argwhere(evidence.unvisited() & matter[:, None])
    if len(unseen):
        return False, f"never visited: {places(unseen)}"
    below = np.isfinite(advantages) & (advantages <= -slack)
    still_open = np.argwhere(rivals & ~below)
    if not len(still_open):
        return True, "no action can be better than the policy's"
    if epsilon == 0.0:
        return False, f"may be better than the policy's action: {places(still_open)}"
    wide = np.argwhere(matter & ~(np.isfinite(gap) & (gap <= epsilon - slack)))
    if not len(wide):
        return True, f"the policy loses at most {epsilon:g}"
    return False, f"may lose more than {epsilon:g}, from: {places(wide)}"


def rivals(evidence: Evidence, policy: IntArray) -> BoolArray:
    """Pairs that must be worse than the policy's own, bool [S, A]."""
    rivals = np.ones((evidence.n_states, evidence.n_actions), dtype=np.bool_)
    rivals[np.arange(evidence.n_states), policy] = False
    rivals[evidence.terminal] = False
    return rivals


def places(numbers: IntArray, shown: int = 5) -> str:
    """A few places, as in "(0, 1), (3, 0) and 7 more"."""
    names = [str(tuple(int(i) for i in p)) if len(p) > 1 else str(int(p[0])) for p in numbers]
    rest = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + rest
