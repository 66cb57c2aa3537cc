"""The contract of a metric: it watches transitions and measures at evaluation points."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.configured import C
from mfbpi_core.contracts.environment import Cells, Environment
from mfbpi_core.contracts.recommendation import checked_allocation, checked_policy, recommendation
from mfbpi_core.data import exact
from mfbpi_core.data.arrays import Array
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.problem import Observation, Problem
from mfbpi_core.data.seeding import Streams
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.errors import PluginError, RequirementError
from mfbpi_core.running.state import copied

A = TypeVar("A")


@attrs.frozen(kw_only=True, eq=False)
class Snapshot:
    """The moment at which a metric measures.

    Attributes:
        step: steps taken so far.
        episode: episodes ended so far.
        agent: the agent; a metric asks for recommendations and never trains it.
        metric: name of the metric that measures; the loop says it.
        last: whether this is the end of the run, by its steps or its episodes: a metric that
            measures now and then only does so now.
    """

    step: int
    episode: int
    agent: Agent
    metric: str = ""
    last: bool = False
    _streams: Streams
    _known: dict[str, Any] = attrs.field(factory=dict, repr=False)

    def of(self, metric: str) -> Snapshot:
        """The same moment for one metric; what the agent was asked is not asked again."""
        return attrs.evolve(self, metric=metric)

    def rng(self) -> np.random.Generator:
        """This metric's generator at this step, the same whatever was measured before.

        It belongs to the metric by its name, which the loop sets: two metrics never share one.
        """
        return self._streams.generator(f"evaluation:{self.metric}", self.step)

    def recommend(self, observation: Observation) -> int:
        """What the agent recommends, an action that exists; raises :class:`PluginError`.

        One with a policy of its own, which it may have to solve a model for, is asked for it once.
        """
        has_own = type(self.agent).recommended_policy is not Agent.recommended_policy
        state = exact.whole(observation) if has_own else None
        policy = None if state is None else self.policy
        return recommendation(self.agent, observation) if policy is None else int(policy[state])

    @property
    def policy(self) -> npt.NDArray[np.int64] | None:
        """The agent's recommended policy, int64 [S], or None where it has none.

        Raises:
            PluginError: when it is no policy.
        """
        return self._once("policy", checked_policy)

    @property
    def allocation(self) -> npt.NDArray[np.float64] | None:
        """The agent's allocation omega, float64 [S, A], or None where it has none.

        Raises:
            PluginError: when it is not of that shape, or not finite.
        """
        return self._once("allocation", checked_allocation)

    def _once(self, what: str, ask: Callable[[Agent], A]) -> A:
        if what not in self._known:
            self._known[what] = ask(self.agent)
        known: A = self._known[what]
        return known


def cells_of(environment: Environment) -> Cells:
    """The cells of an environment; raises :class:`RequirementError` where it declares none."""
    cells = environment.cells
    if cells is None:
        raise RequirementError(
            f"{type(environment).__name__} declares no cells; expected an environment with "
            "integer states, or one that partitions its observations (Environment.cells)"
        )
    return cells


def _indexed(cells: Cells, transitions: Transitions) -> npt.NDArray[np.int64]:
    found = np.asarray(cells.index(transitions.observations))
    if found.shape != (len(transitions),) or found.dtype.kind not in "iu":
        raise PluginError(
            f"the cells of {len(transitions)} observations are {found.dtype} of shape "
            f"{found.shape}; expected one integer for each observation"
        )
    return found


class Metric(ABC, Generic[C]):
    """A number, or several, that describe how an agent explores or what it recommends.

    Built by ``factory(problem, environment, config, rng)``, with ``bound=`` where its ``Config``
    has a :func:`mfbpi_core.bound_parameter`. Measuring never changes the run.

    Attributes:
        problem: sizes, discount and horizon.
        environment: an instance for evaluation, not the one that the agent acts in; shared by
            the metrics of a run, so reset it with a seed before use.
        config: the metric's parameters.
        rng: the metric's own generator.
    """

    def __init__(
        self, problem: Problem, environment: Environment, config: C, rng: np.random.Generator
    ) -> None:
        self.problem = problem
        self.environment = environment
        self.config = config
        self.rng = rng

    def observe(self, transitions: Transitions) -> None:
        """Take in the steps since the last call, all of them, in order."""

    def visited_cells(self, transitions: Transitions) -> npt.NDArray[np.int64]:
        """The cells of the environment in which the actions of some steps were taken, [n].

        They are found once for all metrics of a run.

        Raises:
            RequirementError: where the environment declares no cells.
            PluginError: where it has not one for each step.
        """
        cells = cells_of(self.environment)
        return transitions.once(("cells", self.environment), lambda: _indexed(cells, transitions))

    @abstractmethod
    def measure(self, snapshot: Snapshot) -> dict[str, float]:
        """Measure now.

        Returns:
            Finite numbers by column name, among those that the spec declares and within their
            ranges. A column that does not apply yet is left out.
        """

    def arrays(self) -> dict[str, Array]:
        """Arrays kept on request, such as heat maps; none by default."""
        return {}

    def state_dict(self) -> StateDict:
        """What observing changed, as a copy.

        Raises:
            CheckpointError: by default, when a generator is held of a class derived from numpy's,
                which would be copied as one of numpy's.
        """
        fixed = ("problem", "environment", "config", "bound")
        own = {k: v for k, v in vars(self).items() if k not in fixed}
        return copied(own, type(self).__name__)

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""
        vars(self).update(copy.deepcopy(state))
