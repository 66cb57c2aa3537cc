"""Value error: how much the recommended policy loses, exactly, never by simulation.

    value_ratio   = 1 - |V* - V^pi|_inf / |V*|_inf,
    value_error_2 = |V* - V^pi|_2 / |V*|_2,

with V* the optimal values of the environment's exact model, V^pi the values of the policy that the
agent recommends, and norms over all states, terminal ones (value 0) included. Every optimal policy
counts as right, whichever of several.

V* is computed once, by policy iteration, and V^pi by a linear solve whenever the recommendation
has changed since the last measurement.

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning",
numerical experiments.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mfbpi_core import Environment, Metric, NoConfig, Problem, Snapshot, TabularMDP
from mfbpi_core.data.arrays import Array, FloatArray
from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import RequirementError
from mfbpi_lib_tabular.solution import planning


def value_ratio(optimal: npt.ArrayLike, achieved: npt.ArrayLike) -> float:
    """1 - |V* - V^pi|_inf / |V*|_inf, in [0, 1]; 1 is optimal.

    Negative rewards can make the loss larger than |V*|; the ratio is 0 from there on.

    Args:
        optimal: [S] values V*.
        achieved: [S] values V^pi.
    """
    return max(0.0, 1.0 - relative_loss(optimal, achieved, np.inf))


def value_error_2(optimal: npt.ArrayLike, achieved: npt.ArrayLike) -> float:
    """|V* - V^pi|_2 / |V*|_2, 0 or more, at most 1 without negative rewards; 0 is optimal.

    Args:
        optimal: [S] values V*.
        achieved: [S] values V^pi.
    """
    return relative_loss(optimal, achieved, 2)


def relative_loss(optimal: npt.ArrayLike, achieved: npt.ArrayLike, order: float) -> float:
    """|V* - V^pi| / |V*| in the norm of that order; 0 without loss, ``inf`` where only V* is 0."""
    best = np.asarray(optimal, dtype=np.float64)
    loss = float(np.linalg.norm(best - np.asarray(achieved), ord=order))
    scale = float(np.linalg.norm(best, ord=order))
    if loss == 0.0:
        return 0.0
    return loss / scale if scale > 0.0 else math.inf


class PolicyValueError(Metric[NoConfig]):
    """The metric ``value_error``.

    Columns that do not apply are left out: both where the agent recommends no policy over integer
    states, and ``value_error_2`` where V* is zero everywhere and V^pi is not.

    Raises:
        RequirementError: when the environment has no exact model.
    """

    def __init__(
        self, problem: Problem, environment: Environment, config: NoConfig, rng: np.random.Generator
    ) -> None:
        super().__init__(problem, environment, config, rng)
        self._model = _model(environment)
        self._optimal = planning.solve(self._model, problem.discount).values  # V*[s]
        self._last: tuple[npt.NDArray[np.int64], FloatArray] | None = None  # policy and its V^pi

    def measure(self, snapshot: Snapshot) -> dict[str, float]:
        """Columns ``value_ratio`` and ``value_error_2`` of the recommended policy."""
        if snapshot.policy is None:
            return {}
        achieved = self._evaluate(snapshot.policy)
        columns = {
            "value_ratio": value_ratio(self._optimal, achieved),
            "value_error_2": value_error_2(self._optimal, achieved),
        }
        return {name: value for name, value in columns.items() if math.isfinite(value)}

    def arrays(self) -> dict[str, Array]:
        """``optimal_values``: V*, float64 [S]; ``policy_values``: V^pi where last measured."""
        arrays = {"optimal_values": self._optimal.copy()}
        if self._last is not None:
            arrays["policy_values"] = self._last[1].copy()
        return arrays

    def state_dict(self) -> StateDict:
        """The last policy and its values, which :meth:`arrays` gives; the optimum is not saved."""
        return {"last": None if self._last is None else [part.copy() for part in self._last]}

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""
        last = state["last"]
        self._last = None if last is None else (np.array(last[0]), np.array(last[1]))

    def _evaluate(self, policy: npt.NDArray[np.int64]) -> FloatArray:
        """V^pi, float64 [S], solved for only where the policy [S] is not the last one."""
        if self._last is None or not np.array_equal(policy, self._last[0]):
            achieved = planning.evaluate_policy(self._model, policy, self.problem.discount)
            self._last = (np.array(policy), achieved)
        return self._last[1]


def _model(environment: Environment) -> TabularMDP:
    model = environment.model
    if model is None:
        raise RequirementError(
            f"{type(environment).__name__} has no exact model; value_error expects one "
            "(Environment.model)"
        )
    return model
