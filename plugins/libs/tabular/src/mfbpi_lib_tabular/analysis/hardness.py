"""Measures of hardness from the literature, beside the quantities of the bounds.

All are of the walk that restarts where an episode ends (:mod:`.structure`), on the states that
it visits; terminal states take no part. Where one is too costly to compute, it is a bound that
says so, or left out.
"""

from __future__ import annotations

import attrs
import numpy as np
from scipy import optimize, sparse
from scipy.sparse import csgraph

from mfbpi_core import TabularMDP
from mfbpi_core.data.arrays import IntArray
from mfbpi_lib_tabular.analysis import reach, structure
from mfbpi_lib_tabular.analysis.hitting import Hitting, fastest
from mfbpi_lib_tabular.solution import gaps

#: Up to this many states everything is computed exactly.
EXACT_STATES = 500

#: Beyond, and up to this many, times to a few targets bound the times to all.
BOUNDED_STATES = 20_000

#: That many; see :func:`_farthest`.
TARGETS = 8

EPS = float(np.finfo(np.float64).eps)

#: Tolerance of the linear programme.
_FEASIBILITY = 1e-10


@attrs.frozen(kw_only=True)
class Measure:
    """A number with what is known of it.

    Attributes:
        value: 0 or more, or infinite.
        error: bound of its error.
        sign: "" if the number is meant, ">=" or "<=" if it is a bound.
    """

    value: float
    error: float = 0.0
    sign: str = ""


@attrs.frozen(kw_only=True)
class Hardness:
    """Measures of an instance at one discount; None for what would take too long.

    Attributes:
        diameter: most steps that the fastest walk from one state to another takes, in expectation
            (Jaksch, Ortner & Auer 2010).
        rarest_state: least over states of the largest long-run frequency that a policy gives it,
            from wherever the walk starts: 0 if a state cannot be reached from another.
        rarest_pair: largest least frequency of a pair that a policy has.
        uniform_frequency: least long-run frequency of a state under the uniform policy.
        inverse_gaps: sum of 1 / gap over sub-optimal pairs (Simchowitz & Jamieson 2019).
        value_norm: largest deviation of V* at the next state (Maillard, Mann & Mannor 2014).
        value_span: largest less least V*.
    """

    diameter: Measure | None
    rarest_state: Measure | None
    rarest_pair: Measure | None
    uniform_frequency: Measure | None
    inverse_gaps: Measure
    value_norm: Measure
    value_span: Measure


def measure(mdp: TabularMDP, found: gaps.Separation) -> Hardness:
    """Compute the measures of a planned instance.

    Raises:
        ModelError: when every first state is terminal, so that there is no walk.
    """
    live = np.setdiff1d(np.flatnonzero(~mdp.terminal), reach.unreachable_states(mdp))
    rows = _restricted(mdp, live)
    exact = live.size <= EXACT_STATES
    diameter, rarest_state = _hitting(rows, mdp.n_actions)
    return Hardness(
        diameter=diameter,
        rarest_state=rarest_state,
        rarest_pair=_rarest_pair(rows, mdp.n_actions) if exact else None,
        uniform_frequency=_uniform(rows, mdp.n_actions) if exact else None,
        inverse_gaps=_inverse_gaps(found, live),
        value_norm=_norm(mdp, found, live),
        value_span=_span(found, live),
    )


def _restricted(mdp: TabularMDP, live: IntArray) -> sparse.csr_array:
    """The walk between the states that it visits, [n A, n]."""
    pairs = (live[:, None] * mdp.n_actions + np.arange(mdp.n_actions)).ravel()
    return structure.walk(mdp)[pairs][:, live].tocsr()


def _hitting(rows: sparse.csr_array, n_actions: int) -> tuple[Measure, Measure] | tuple[None, None]:
    """The diameter, and the least over targets of the frequency that a policy gives them."""
    n_states = rows.shape[1]
    if n_states > BOUNDED_STATES:
        return None, None
    exact = n_states <= EXACT_STATES
    if exact:
        found = [fastest(rows, n_actions, target) for target in range(n_states)]
    else:
        found = _farthest(rows, n_actions)
    longest, back = max(float(one.times.max()) for one in found), max(one.back for one in found)
    error = max(one.error for one in found)
    low, high = ("", "") if exact else (">=", "<=")
    return (
        _relative(longest, error, low),
        _relative(1.0 / back, error, high) if np.isfinite(back) else Measure(value=0.0),
    )


def _farthest(rows: sparse.csr_array, n_actions: int) -> list[Hitting]:
    """Targets that are far away: first a rare one, then each time the farthest source."""
    n_states = rows.shape[1]
    mix = _evenly(n_states, n_actions)
    frequencies = np.full(n_states, 1.0 / n_states)
    for _ in range(n_states):  # enough to tell rare from frequent; no exact solution is needed
        frequencies = frequencies @ (mix @ rows)
    target, tried, found = int(frequencies.argmin()), set[int](), []
    for _ in range(TARGETS):
        tried.add(target)
        found.append(fastest(rows, n_actions, target))
        times = found[-1].times.copy()
        times[list(tried)] = -1.0
        target = int(times.argmax())
        if not np.isfinite(found[-1].times).all() or len(tried) == n_states:
            break
    return found


def _rarest_pair(rows: sparse.csr_array, n_actions: int) -> Measure:
    """The largest least frequency of a pair, by a linear programme; w = x + y, y >= 0."""
    n_pairs, n_states = rows.shape
    own = sparse.csr_array(
        (np.ones(n_pairs), (np.repeat(np.arange(n_states), n_actions), np.arange(n_pairs)))
    )
    balance = own - rows.T
    equations = sparse.vstack([balance, np.ones((1, n_pairs))])
    shared = equations @ np.ones(n_pairs)
    found = optimize.linprog(
        np.append(np.zeros(n_pairs), -1.0),
        A_eq=sparse.hstack([equations, shared[:, None]]).tocsc(),
        b_eq=np.append(np.zeros(n_states), 1.0),
        method="highs",
        options={
            "primal_feasibility_tolerance": _FEASIBILITY,
            "dual_feasibility_tolerance": _FEASIBILITY,
        },
    )
    if found.status != 0:
        return Measure(value=0.0, error=np.inf)
    return Measure(value=max(float(-found.fun), 0.0), error=10.0 * _FEASIBILITY)


def _uniform(rows: sparse.csr_array, n_actions: int) -> Measure:
    """Least frequency of a state under the uniform policy; 0 if it leaves one for good."""
    n_states = rows.shape[1]
    chain = (_evenly(n_states, n_actions) @ rows).tocsr()
    n_classes, _ = csgraph.connected_components(chain, directed=True, connection="strong")
    if n_classes > 1:
        return Measure(value=0.0)
    least = float(structure.chain_distribution(chain).min())
    # Chains of this size are solved without a subtraction: each entry has the digits of a float.
    return Measure(value=least, error=least * 4.0 * n_states * EPS)


def _evenly(n_states: int, n_actions: int) -> sparse.csr_array:
    """The uniform policy, [n, n A]."""
    mix: sparse.csr_array = sparse.kron(
        sparse.eye_array(n_states), np.full((1, n_actions), 1.0 / n_actions), format="csr"
    )
    return mix


def _inverse_gaps(found: gaps.Separation, live: IntArray) -> Measure:
    optimal, delta = found.optimal[live], found.gaps[live]
    below = delta[~optimal]
    total = float((1.0 / below).sum())
    error = float((found.gap_error / below**2).sum()) + below.size * EPS * total
    # A pair that cannot be told from optimal may have any inverse.
    return Measure(value=total, error=np.inf if found.unresolved else error)


def _norm(mdp: TabularMDP, found: gaps.Separation, live: IntArray) -> Measure:
    spread = found.spread(mdp)
    roots = np.sqrt(spread.variances[live])
    return Measure(value=float(roots.max()), error=float(spread.root_errors[live].max()))


def _span(found: gaps.Separation, live: IntArray) -> Measure:
    values = found.values[live]
    span = float(values.max() - values.min())
    return Measure(value=span, error=2.0 * (found.value_error + EPS * float(np.abs(values).max())))


def _relative(value: float, error: float, sign: str) -> Measure:
    return Measure(value=value, error=error * value if np.isfinite(value) else 0.0, sign=sign)
