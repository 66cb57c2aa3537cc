"""The contract of a metric: it watches transitions and measures at evaluation points."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from mfbpi_core.environment import Environment
from mfbpi_core.types import Problem, Snapshot, Transitions


class Metric(ABC):
    """A number, or several, that describe how an agent explores or what it recommends.

    Built by ``factory(problem, environment, config, rng)``. Measuring never changes the run.

    Attributes:
        problem: sizes, discount and horizon.
        environment: an instance for evaluation, not the one that the agent acts in; shared by
            the metrics of a run, so reset it with a seed before use.
        config: the metric's parameters.
        rng: the metric's own generator.
    """

    def __init__(
        self, problem: Problem, environment: Environment, config: Any, rng: np.random.Generator
    ) -> None:
        self.problem = problem
        self.environment = environment
        self.config = config
        self.rng = rng

    def observe(self, transitions: Transitions) -> None:  # noqa: B027 - most do not need it
        """Take in the steps since the last call, all of them, in order."""

    @abstractmethod
    def measure(self, snapshot: Snapshot) -> dict[str, float]:
        """Measure now.

        Returns:
            Finite numbers by column name, among those that the spec declares. A column that
            does not apply yet is left out.
        """

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Arrays kept on request, such as heat maps; none by default."""
        return {}

    def state_dict(self) -> dict[str, Any]:
        """What observing changed, as a copy."""
        fixed = ("problem", "environment", "config")
        return copy.deepcopy({k: v for k, v in vars(self).items() if k not in fixed})

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned."""
        vars(self).update(copy.deepcopy(state))
