"""Upper ends of the advantages of a policy, over every model of a box.

M is the true model, pi the policy, V_M its values in M; G and h are any matrix and vector, in
practice (I - gamma P_pi)^-1 and the values of pi in the empirical model. For a != pi(s), exactly,

    A_M(s, a) = [r_M + gamma p_M.h - h(s)] + sum_z kappa(z) x(z)
    x(z)      = r_M(z, pi) + gamma p_M(z, pi).h - h(z)
    kappa     = (gamma p_M(s, a) - e_s)(I - gamma P_M,pi)^-1 = k0 + kappa Y
    k0        = gamma p_M(s, a) G - G[s],    Y = I - G + gamma P_M,pi G

since V_M - h = (I - gamma P_M,pi)^-1 x, and (I - gamma P_M,pi)^-1 (I - Y) = G. The bracket, x, k0
and Y lie in intervals by the one-step bound. kappa starts in [-1/(1 - gamma), gamma/(1 - gamma)],
where it always is, and each evaluation of k0 + kappa Y in interval arithmetic, intersected with
the last, contains it too: any number of them is valid.
"""

from __future__ import annotations

import attrs
import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_lib_compiled import compiled
from mfbpi_lib_confidence.backups import column_intervals
from mfbpi_lib_confidence.envelopes import Side

#: Cap on the contractions of kappa.
MAX_CONTRACTIONS = 200

#: They end when no end of an interval moves by more than this, relative to 1 / (1 - gamma).
STILL = 1e-7


@attrs.frozen(kw_only=True, eq=False)
class Reference:
    """What advantages are measured from.

    Attributes:
        policy: int64 [S], pi.
        values: float64 [S], h; 0 in terminal states.
        resolvent: float64 [S, S], G; rows of terminal states are those of the unit matrix.
    """

    policy: IntArray
    values: FloatArray
    resolvent: FloatArray


@compiled
def contract(
    start_low: FloatArray,
    start_high: FloatArray,
    matrix_low: FloatArray,
    matrix_high: FloatArray,
    low: FloatArray,
    high: FloatArray,
    still: float,
) -> None:
    """Intersect kappa with k0 + kappa Y until it stands still, in place.

    Args:
        start_low: float64 [Z], lower ends of k0.
        start_high: float64 [Z], upper ends.
        matrix_low: float64 [Z, Z], lower ends of Y.
        matrix_high: float64 [Z, Z], upper ends.
        low: float64 [Z], lower ends of kappa.
        high: float64 [Z], upper ends.
        still: movement at which to end.
    """
    new_low, new_high = np.empty_like(low), np.empty_like(high)
    for _ in range(MAX_CONTRACTIONS):
        for z in range(low.size):
            new_low[z], new_high[z] = start_low[z], start_high[z]
        for z in range(low.size):
            _add_products(low[z], high[z], matrix_low[z], matrix_high[z], new_low, new_high)
        moved = 0.0
        for z in range(low.size):
            moved = max(moved, new_low[z] - low[z], high[z] - new_high[z])
            low[z], high[z] = max(low[z], new_low[z]), min(high[z], new_high[z])
        if moved <= still:
            break


@compiled
def _add_products(
    a: float, b: float, c: FloatArray, d: FloatArray, low: FloatArray, high: FloatArray
) -> None:
    """Add the interval products [a, b] [c, d] to the intervals [low, high]; arrays are [Z]."""
    for z in range(c.size):
        ac, ad, bc, bd = a * c[z], a * d[z], b * c[z], b * d[z]
        least, other = (ac if ac < ad else ad), (bc if bc < bd else bd)
        low[z] += least if least < other else other
        most, other = (ac if ac > ad else ad), (bc if bc > bd else bd)
        high[z] += most if most > other else other


@compiled
def largest_products(
    owners: IntArray,
    start_low: FloatArray,
    start_high: FloatArray,
    matrix_low: FloatArray,
    matrix_high: FloatArray,
    x_low: FloatArray,
    x_high: FloatArray,
    discount: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Upper ends of kappa.x for each of L pairs.

    Args:
        owners: int64 [L], unused entries are negative: the pair is the policy's own.
        start_low: float64 [L, Z], ends of k0.
        start_high: see ``start_low``.
        matrix_low: float64 [Z, Z], ends of Y.
        matrix_high: see ``matrix_low``.
        x_low: float64 [Z], ends of x.
        x_high: see ``x_low``.
        discount: gamma.

    Returns:
        float64 [L], and the ends of kappa, float64 [L, Z] twice.
    """
    n_pairs, n_states = start_low.shape
    reach = 1.0 / (1.0 - discount)
    total = np.zeros(n_pairs)
    low = np.full((n_pairs, n_states), -reach)
    high = np.full((n_pairs, n_states), discount * reach)
    still = STILL * reach
    for i in range(n_pairs):
        if owners[i] < 0:
            continue
        contract(start_low[i], start_high[i], matrix_low, matrix_high, low[i], high[i], still)
        for z in range(n_states):
            a, b = low[i, z], high[i, z]
            total[i] += max(a * x_low[z], a * x_high[z], b * x_low[z], b * x_high[z])
    return total, low, high


@attrs.frozen(kw_only=True, eq=False)
class Linear:
    """Upper ends of the advantages, and what proves them.

    Attributes:
        advantages: float64 [S, A]; 0 for pi's own.
        kappa_low: float64 [pairs of live states, live states], lower ends of kappa; those of
            pi's own pairs are where kappa begins.
        kappa_high: upper ends, likewise.
    """

    advantages: FloatArray
    kappa_low: FloatArray
    kappa_high: FloatArray


def linear_advantages(upper: Side, lower: Side, reference: Reference) -> Linear:
    """Upper ends of A_M(s, a) from the identity of this module.

    Args:
        upper: the upper side of the box.
        lower: its lower side.
        reference: pi, h and G.
    """
    evidence = upper.box.evidence
    states, n_actions = upper.states, evidence.n_actions
    own = states * n_actions + reference.policy[states]
    high = upper.backup(reference.values, upper.pairs, upper.rewards)  # [L A]
    at_own = np.searchsorted(upper.pairs, own)
    x_high = high[at_own] - reference.values[states]
    x_low = lower.backup(reference.values, own, lower.rewards) - reference.values[states]
    start_low, start_high, matrix_low, matrix_high = _kernels(upper, reference, at_own)
    owners = upper.pairs.copy()
    owners[at_own] = -1
    products, kappa_low, kappa_high = largest_products(
        owners, start_low, start_high, matrix_low, matrix_high, x_low, x_high, upper.discount
    )
    found = np.zeros(evidence.n_pairs)
    found[upper.pairs] = high - np.repeat(reference.values[states], n_actions) + products
    found[own] = 0.0
    return Linear(
        advantages=found.reshape(evidence.n_states, n_actions),
        kappa_low=kappa_low,
        kappa_high=kappa_high,
    )


def _kernels(
    upper: Side, reference: Reference, at_own: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Ends of k0, [L A, L], and of Y, [L, L], for the L states that are not terminal."""
    box, evidence, states = upper.box, upper.box.evidence, upper.states
    resolvent = reference.resolvent[np.ix_(states, states)]  # G[z, z']
    columns = np.zeros((len(states), evidence.n_outcomes))
    columns[:, states] = resolvent.T
    low, high = column_intervals(
        upper.pairs, evidence.starts, evidence.outcomes, box.weights, box.radii, columns
    )
    base = np.repeat(resolvent, evidence.n_actions, axis=0)
    own_base = np.eye(len(states)) - resolvent
    return (
        upper.discount * low - base,
        upper.discount * high - base,
        own_base + upper.discount * low[at_own],
        own_base + upper.discount * high[at_own],
    )
