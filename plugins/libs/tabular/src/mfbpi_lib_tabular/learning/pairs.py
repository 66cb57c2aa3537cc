"""How often each pair (s, a) was taken, for metrics of the exact model.

A step is counted at the observation in which its action was taken, so that the counts N(s, a) sum
to the number of steps. They are integers: the same however the steps come in batches. Memory is
one of them for each pair, whatever the number of steps.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.configured import C
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.metric import Metric
from mfbpi_core.data.arrays import IntArray
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.errors import RequirementError


def pair_counts(states: npt.ArrayLike, actions: npt.ArrayLike, shape: tuple[int, int]) -> IntArray:
    """How often each pair occurs, int64 [S, A].

    Args:
        states: integers [n], from 0 to S - 1.
        actions: integers [n], from 0 to A - 1.
        shape: (S, A).
    """
    pairs = np.asarray(states, dtype=np.int64) * shape[1] + np.asarray(actions, dtype=np.int64)
    counts: IntArray = np.bincount(pairs, minlength=shape[0] * shape[1]).reshape(shape)
    return counts


class PairMetric(Metric[C]):
    """Base of the metrics that need no more of a run than the counts of its pairs.

    Attributes:
        model: the exact model.
        counts: N, int64 [S, A], steps in which each pair was taken.

    Raises:
        RequirementError: when the environment has no exact model or no integer states.
    """

    def __init__(
        self, problem: Problem, environment: Environment, config: C, rng: np.random.Generator
    ) -> None:
        super().__init__(problem, environment, config, rng)
        self.model = _model(problem, environment, type(self).__name__)
        self.counts = pair_counts([], [], (self.model.n_states, self.model.n_actions))

    def observe(self, transitions: Transitions) -> None:
        """Count the pairs, once for all metrics of a run that do."""
        observed = transitions.observations, transitions.actions
        self.counts += transitions.once(
            (pair_counts, self.environment), lambda: pair_counts(*observed, self.counts.shape)
        )

    def state_dict(self) -> StateDict:
        """The counts, as a copy; all else can be computed anew."""
        return {"counts": self.counts.copy()}

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""
        self.counts[:] = state["counts"]


def _model(problem: Problem, environment: Environment, metric: str) -> TabularMDP:
    model = environment.model
    if model is None or problem.n_states is None:
        raise RequirementError(
            f"{type(environment).__name__} has no "
            f"{'exact model' if model is None else 'integer states'}; the metric {metric} "
            "expects both (Environment.model, Environment.n_states)"
        )
    return model
