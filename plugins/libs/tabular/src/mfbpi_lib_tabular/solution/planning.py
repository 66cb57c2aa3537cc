"""Exact planning in a tabular MDP: policy evaluation and policy iteration (Howard 1960).

Small instances use dense linear algebra, others sparse matrices and the verified solvers of
:mod:`mfbpi_lib_tabular.numerics.linear`; see :mod:`mfbpi_lib_tabular.numerics.kernels`. Terminal
states have value zero: their stored rows are self-loops without reward.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import Array, FloatArray, IntArray
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import ConfigError, ModelError, SolverError
from mfbpi_lib_tabular.numerics import kernels
from mfbpi_lib_tabular.solution import greedy

#: Residual that is enough of values that are refined next, in relation to the rewards.
ROUGH = 1e-12

#: Cap on the policies that policy iteration evaluates.
MAX_ITERATIONS = 10_000

#: Cap on the sweeps of value iteration that choose the first policy.
MAX_SWEEPS = 500

#: The first policy is settled once this many sweeps in a row leave it unchanged.
SETTLED_SWEEPS = 8


@attrs.frozen(kw_only=True, eq=False)
class Plan:
    """The optimal values of an instance.

    Attributes:
        values: float64 [S], V*(s).
        q_values: float64 [S, A], Q*(s, a).
        policy: int64 [S], one optimal action in each state.
        iterations: number of policies that were evaluated.
    """

    values: FloatArray
    q_values: FloatArray
    policy: IntArray
    iterations: int


def check_discount(discount: float) -> float:
    """Return the discount if it lies strictly between 0 and 1.

    Raises:
        ConfigError: otherwise; without discounting the values need not be finite.
    """
    if not 0.0 < discount < 1.0:
        raise ConfigError(
            f"the discount is {discount!r}; expected a number strictly between 0 and 1"
        )
    return float(discount)


def evaluate_policy(mdp: TabularMDP, policy: npt.ArrayLike, discount: float) -> FloatArray:
    """V^pi, the solution of V = r_pi + gamma P_pi V.

    Args:
        mdp: the instance.
        policy: integers [S], or probabilities [S, A] of a stochastic policy.
        discount: gamma, in (0, 1).

    Returns:
        float64 [S].

    Raises:
        ConfigError: when the discount is outside (0, 1).
        ModelError: when the policy does not fit the instance.
    """
    gamma = check_discount(discount)
    choice = np.asarray(policy)
    if choice.ndim == 2:
        return np.where(mdp.terminal, 0.0, _evaluate_stochastic(mdp, choice, gamma))
    rows = _pair_index(choice, (mdp.n_states, mdp.n_actions))
    values = kernels.solve(kernels.kernel(mdp)[rows], mdp.mean_rewards.reshape(-1)[rows], gamma)
    return np.where(mdp.terminal, 0.0, values)


def action_values(mdp: TabularMDP, values: FloatArray, discount: float) -> FloatArray:
    """Q(s, a) = r(s, a) + gamma E_{P(.|s,a)} V, float64 [S, A]; [S] values V."""
    gamma = check_discount(discount)
    if mdp.n_states <= kernels.DENSE_STATES:
        expected = mdp.transitions @ values  # [S, A]
    else:
        expected = np.einsum("sak,sak->sa", mdp.probabilities, values[mdp.successors])
    q_values: FloatArray = mdp.mean_rewards + gamma * expected
    return q_values


def solve(
    mdp: TabularMDP,
    discount: float,
    *,
    initial_policy: npt.ArrayLike | None = None,
    max_iterations: int = MAX_ITERATIONS,
    rough: bool = False,
) -> Plan:
    """Optimal values and one optimal policy, by policy iteration.

    An action is replaced only by one that is better by more than rounding can explain
    (:func:`rounding`). Every change is then a true improvement, so that no policy comes back
    and the iteration ends even with ties.

    Args:
        mdp: the instance.
        discount: gamma, in (0, 1).
        initial_policy: integers [S], such as the last plan's policy; chosen by a few sweeps of
            value iteration if omitted.
        max_iterations: cap on the number of evaluated policies.
        rough: whether large instances may be solved to :data:`ROUGH` alone, as those that
            :mod:`mfbpi_lib_tabular.solution.refinement` is next to look at.

    Raises:
        ConfigError: when the discount is outside (0, 1).
        ModelError: when the initial policy does not fit the instance.
        SolverError: when the cap is reached.
    """
    gamma = check_discount(discount)
    matrix, rewards = kernels.kernel(mdp), mdp.mean_rewards
    if initial_policy is None:
        policy, values = _sweep(matrix, rewards, gamma)
    else:
        policy, values = np.array(initial_policy, dtype=np.int64), np.zeros(mdp.n_states)
    evaluate = _roughly if rough else _exactly
    search = _Iteration(matrix, rewards, gamma, mdp.probabilities.shape[2], evaluate)
    plan = search.run(policy, values, max_iterations)
    return _ended(mdp, plan, gamma) if mdp.terminal.any() else plan


#: How a policy is evaluated: from its P [S, S] and r [S], gamma, and values to start from, to its
#: values and a bound of their error beyond rounding.
Evaluate = Callable[[kernels.Matrix, FloatArray, float, FloatArray], tuple[FloatArray, float]]


def _exactly(
    matrix: kernels.Matrix, rewards: FloatArray, discount: float, guess: FloatArray
) -> tuple[FloatArray, float]:
    return kernels.solve(matrix, rewards, discount, guess), 0.0


def _roughly(
    matrix: kernels.Matrix, rewards: FloatArray, discount: float, guess: FloatArray
) -> tuple[FloatArray, float]:
    values, left = kernels.approximate(matrix, rewards, discount, ROUGH, 2.0 * ROUGH, guess)
    return values, left * float(np.abs(rewards).max()) / (1.0 - discount)


def solve_arrays(
    transitions: FloatArray,
    rewards: FloatArray,
    discount: float,
    initial_policy: IntArray,
    *,
    values: FloatArray | None = None,
    evaluate: Evaluate = _exactly,
) -> Plan:
    """Like :func:`solve`, for arrays that need no validation, such as an agent's estimates.

    Args:
        transitions: float64 [S, A, S]; rows may sum to less than one where the task can end.
        rewards: float64 [S, A], mean rewards.
        discount: gamma, in (0, 1).
        initial_policy: int64 [S].
        values: float64 [S], where the first evaluation starts; zero if omitted.
        evaluate: how policies are evaluated.
    """
    n_states = len(rewards)
    matrix = transitions.reshape(-1, n_states)
    start = np.zeros(n_states) if values is None else values
    search = _Iteration(matrix, rewards, discount, n_states, evaluate)
    return search.run(initial_policy, start, MAX_ITERATIONS)


class _Iteration(NamedTuple):
    """Policy iteration.

    Attributes:
        matrix: P, [S A, S], an array or sparse.
        rewards: float64 [S, A].
        gamma: the discount.
        n_slots: K, terms of a mean at most.
        evaluate: how a policy is evaluated.
    """

    matrix: kernels.Matrix
    rewards: FloatArray
    gamma: float
    n_slots: int
    evaluate: Evaluate

    def run(self, policy: IntArray, values: FloatArray, max_iterations: int) -> Plan:
        """Go on from a policy [S] and values [S], of which only speed depends."""
        for iteration in range(1, max_iterations + 1):
            values, error = self._evaluated(policy, values)
            expected = (self.matrix @ values).reshape(self.rewards.shape)
            q_values = self.rewards + self.gamma * expected  # [S, A]
            tolerance = rounding(values, self.gamma, self.n_slots) + 2.0 * error
            improved = greedy.improve(q_values, policy, tolerance)
            if np.array_equal(improved, policy):
                return Plan(values=values, q_values=q_values, policy=policy, iterations=iteration)
            policy = improved
        raise SolverError(
            f"policy iteration did not end within {max_iterations} policies; raise max_iterations"
        )

    def _evaluated(self, policy: IntArray, guess: FloatArray) -> tuple[FloatArray, float]:
        rows = _pair_index(policy, self.rewards.shape)
        own = self.matrix[rows], self.rewards.reshape(-1)[rows]
        return self.evaluate(*own, self.gamma, guess)


def _ended(mdp: TabularMDP, plan: Plan, gamma: float) -> Plan:
    """The plan with terminal states worth exactly nothing; solving leaves some rounding."""
    values = np.where(mdp.terminal, 0.0, plan.values)
    return attrs.evolve(plan, values=values, q_values=action_values(mdp, values, gamma))


def rounding(values: FloatArray, discount: float, n_slots: int) -> float:
    """Difference of two action values below which rounding can hide its sign.

    A backup of K slots carries a relative error of at most (K + 2) eps, a fixed point of
    backups 1 / (1 - gamma) times that, and a difference two of these.
    """
    scale = float(np.abs(values).max(initial=0.0))
    eps = float(np.finfo(np.float64).eps)
    return 2.0 * (n_slots + 2) * eps * scale / (1.0 - discount)


def _evaluate_stochastic(mdp: TabularMDP, policy: FloatArray, discount: float) -> FloatArray:
    """Evaluate a policy given by its action probabilities [S, A]."""
    shape = (mdp.n_states, mdp.n_actions)
    if policy.shape != shape or (policy < 0.0).any() or np.abs(policy.sum(1) - 1.0).max() > 1e-9:
        raise ModelError(
            f"the stochastic policy has shape {policy.shape}; expected {shape} with rows of "
            "probabilities that sum to 1"
        )
    rewards = np.einsum("sa,sa->s", policy, mdp.mean_rewards)
    if mdp.n_states <= kernels.DENSE_STATES:
        dense = np.einsum("sa,sat->st", policy, mdp.transitions)
        return kernels.solve(dense, rewards, discount)
    from mfbpi_lib_tabular.numerics import linear  # as in `kernels`

    weights = (policy[:, :, None] * mdp.probabilities).reshape(mdp.n_states, 1, -1)
    successors = mdp.successors.reshape(mdp.n_states, 1, -1)
    matrix = linear.rows_to_sparse(successors, weights, mdp.n_states)
    return kernels.solve(matrix, rewards, discount)


def _pair_index(policy: Array, shape: tuple[int, ...]) -> IntArray:
    """Row numbers [S] of the pairs (s, pi(s)) in the flattened [S A] order of a shape (S, A)."""
    n_states, n_actions = shape
    if policy.shape != (n_states,) or policy.dtype.kind not in "iu":
        raise ModelError(
            f"the policy is {policy.dtype} of shape {policy.shape}; expected {n_states} integers"
        )
    if policy.min() < 0 or policy.max() >= n_actions:
        raise ModelError(
            f"the policy takes actions {policy.min()} to {policy.max()}; expected 0 to "
            f"{n_actions - 1}"
        )
    index: IntArray = np.arange(n_states, dtype=np.int64) * n_actions + policy
    return index


def _sweep(
    matrix: kernels.Matrix, rewards: FloatArray, discount: float
) -> tuple[IntArray, FloatArray]:
    """A few sweeps of value iteration: the greedy policy, once it settles, and the values."""
    (policy, values), settled = greedy.best(rewards), 0
    for _ in range(MAX_SWEEPS):
        expected = matrix @ values
        expected *= discount
        q_values = expected.reshape(rewards.shape)
        q_values += rewards
        best, values = greedy.best(q_values)
        settled = settled + 1 if (best == policy).all() else 0
        policy = best
        if settled == SETTLED_SWEEPS:
            break
    return policy, values
