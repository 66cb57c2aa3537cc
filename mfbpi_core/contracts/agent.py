"""The contract of an agent: a sampling rule, a learning rule and a recommendation rule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic

import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.configured import C
from mfbpi_core.contracts.environment import Simulator
from mfbpi_core.contracts.recommendation import recommendation
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.problem import Observation, Problem
from mfbpi_core.data.transitions import Transition, Transitions
from mfbpi_core.running.state import copied, take_over


class Agent(ABC, Generic[C]):
    """A best-policy-identification method.

    Built by ``factory(problem, config, rng)``. The agent never receives the environment; all
    its randomness comes from ``rng``. Where its ``Config`` has a
    :func:`mfbpi_core.bound_parameter`, it is handed the bound as ``bound=``.

    Attributes:
        problem: sizes, discount and horizon.
        config: the agent's parameters.
        rng: the agent's own generator.
    """

    #: Whether :meth:`advance` makes sure, once, that a simulator can show and pay only what is
    #: declared; else the loop looks at every chunk.
    checks_simulator: ClassVar[bool] = False

    def __init__(self, problem: Problem, config: C, rng: np.random.Generator) -> None:
        self.problem = problem
        self.config = config
        self.rng = rng

    @classmethod
    def check(cls, problem: Problem, config: C) -> None:
        """Refuse, before a grid of runs starts, what cannot work on this machine.

        Called once by the driver, so it must be quick and build nothing: whether a device is
        there, a licence, a file. By default there is nothing to refuse.

        Raises:
            UsageError: saying what is missing and what to do.
        """

    @abstractmethod
    def select_action(self, observation: Observation) -> int:
        """Sampling rule: the action with which to explore from ``observation``."""

    @abstractmethod
    def update(self, transition: Transition) -> None:
        """Learn from one transition, the one that the last selected action caused."""

    @abstractmethod
    def recommend(self, observation: Observation) -> int:
        """Recommendation rule: the action believed best; without side effects."""

    def recommended_policy(self) -> npt.NDArray[np.int64] | None:
        """The recommendation in every state, int64 [S]; None without integer states.

        Raises:
            PluginError: when one of them is not an integer from 0 to A-1.
        """
        n_states = self.problem.n_states
        if n_states is None:
            return None
        return np.array([recommendation(self, s) for s in range(n_states)], dtype=np.int64)

    @property
    def allocation(self) -> npt.NDArray[np.float64] | None:
        """The allocation omega [S, A] that the sampling rule aims at, or None."""
        return None

    @property
    def profile(self) -> dict[str, float]:
        """Numbers on the agent's own work so far, by name; kept with the results.

        Seconds spent in a part of it end in ``_s``. An agent that calls a solver counts the calls
        in ``solver_runs`` and those that failed in ``solver_failures``, over checkpoints too: the
        summary of a run names the failures.
        """
        return {}

    def advance(self, simulator: Simulator, n_steps: int) -> Transitions | None:  # noqa: ARG002
        """Take ``n_steps`` steps in a compiled simulator, or return None to be stepped.

        Must do exactly what ``select_action`` and ``update`` do step by step. ``simulator`` is
        opaque: it is passed on to a compiled rollout and not looked into. ``start`` of the
        result is ignored: the loop counts the steps.
        """
        return None

    def state_dict(self) -> StateDict:
        """Everything that learning changes, as a copy: loading it later resumes bit for bit.

        The default copies every attribute except the problem and the configuration.

        Raises:
            CheckpointError: by default, when a generator is held of a class derived from numpy's,
                which would be copied as one of numpy's.
        """
        own = {k: v for k, v in vars(self).items() if k not in ("problem", "config")}
        return copied(own, type(self).__name__)

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned; ``state`` itself is not kept or changed."""
        take_over(vars(self), state)
