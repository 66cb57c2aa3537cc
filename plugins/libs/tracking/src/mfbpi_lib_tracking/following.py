"""Agents that plan on an estimated model and follow a bound that is handed to them.

A bound in the common form that needs no more than quantities which can be estimated
(:class:`mfbpi_lib_bounds.bound.QuantitiesBound`) is solved from where the last search ended, and
with floored gaps. Any other is asked, through its contract, for its optimum on
the estimate as an instance.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from mfbpi_core import Bound, Problem, TabularMDP
from mfbpi_core.contracts.configured import C
from mfbpi_core.errors import ConfigError, SolverError
from mfbpi_core.plugins import bounding
from mfbpi_lib_bounds.bound import QuantitiesBound
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_tabular.learning.posterior import ROUNDING, Estimate
from mfbpi_lib_tabular.solution.planning import Plan
from mfbpi_lib_tracking.agent import Found, TrackingAgent
from mfbpi_lib_tracking.estimates import EstimatedQuantities


class BoundFollowingAgent(TrackingAgent[C]):
    """Follows the optimum of a bound on its estimate.

    A subclass defines :meth:`estimated`; its configuration has ``min_exploration``, ``gap_floor``,
    and a :func:`mfbpi_core.bound_parameter`.

    Attributes:
        bound: the bound.
        gap_floor: least gap of an estimate, for bounds in the common form.
    """

    def __init__(
        self, problem: Problem, config: Any, rng: np.random.Generator, *, bound: Bound
    ) -> None:
        super().__init__(problem, config, rng)
        self.bound, self.gap_floor = bound, config.gap_floor
        self._common_form = bound if isinstance(bound, QuantitiesBound) else None

    @abstractmethod
    def estimated(self) -> tuple[Estimate, Plan]:
        """The model on which the bound is minimised, and its plan."""

    def find(self) -> Found | None:
        """The allocation of least value on the estimate; None if there is none to be had."""
        if self._common_form is not None:
            return super().find()
        model, _ = self.estimated()
        return optimum(self.bound, instance(model, self.state.counts.starts, self.problem))

    def target(self) -> tuple[Coefficients, Estimate]:
        """The bound on the estimate, and the estimate.

        Raises:
            ConfigError: for a bound that is not of the common form.
        """
        if self._common_form is None:
            raise ConfigError(f"the bound {type(self.bound).__name__} is given by no coefficients")
        model, plan = self.estimated()
        quantities = EstimatedQuantities(
            model=model,
            plan=plan,
            discount=self.problem.discount,
            gap_floor=self.gap_floor,
            unit=self.problem.reward_unit,
        )
        return self._common_form.coefficients(quantities), model


def optimum(bound: Bound, mdp: TabularMDP) -> Found | None:
    """Where a bound is least among the allocations of walks, or None where it is nowhere finite.

    States that an estimate has for an ending are left out, see :func:`instance`.
    """
    try:
        found = bounding.solved(bound, mdp, "navigation")
    except SolverError:
        return None
    if found.allocation is None:
        return None
    return Found(found.allocation[~mdp.terminal], found.status == "optimal")


def instance(model: Estimate, starts: npt.NDArray[np.int64], problem: Problem) -> TabularMDP:
    """An estimate as an instance; where it says that the task can end, with a terminal state.

    Args:
        model: the estimate.
        starts: int64 [S], how often each state began an episode.
        problem: for the range of the rewards.
    """
    rows, rewards, n_states = model.transitions, model.rewards, len(model.rewards)
    initial = starts / starts.sum() if starts.any() else np.full(n_states, 1.0 / n_states)
    ending = np.maximum(1.0 - rows.sum(axis=2), 0.0)  # [S, A]
    if ending.max() <= ROUNDING:
        return TabularMDP.from_dense(
            rows, rewards, initial=initial, reward_range=problem.reward_range
        )
    rows = np.concatenate([rows, ending[:, :, None]], axis=2)
    end = np.zeros((1, rewards.shape[1], n_states + 1))
    end[..., -1] = 1.0
    return TabularMDP.from_dense(
        np.concatenate([rows, end]),
        np.concatenate([rewards, np.zeros((1, rewards.shape[1]))]),
        initial=np.append(initial, 0.0),
        terminal=np.arange(n_states + 1) == n_states,
        reward_range=problem.reward_range,
    )
