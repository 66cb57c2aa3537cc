"""The contract of a stopping rule: whether what was seen identifies the best policy."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, Literal, get_args

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.configured import C
from mfbpi_core.data.counts import Counts
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.problem import Problem
from mfbpi_core.running.state import copied

#: States that matter: all of them, those where something was decided, those where episodes begin.
Scope = Literal["all", "visited", "initial"]

SCOPES: tuple[Scope, ...] = get_args(Scope)


@attrs.frozen(kw_only=True, eq=False)
class Verdict:
    """What a rule says of the counts.

    Attributes:
        stop: whether the policy is identified, up to epsilon and with risk delta.
        policy: int64 [S], what is recommended; None where nothing is yet.
        gap: certified: the policy loses at most so much, from any state of the scope; finite.
        margin: float64 [S, A], by how much each action is certified to be worse than the policy's;
            None where nothing is.
        reason: why, or why not yet, naming pairs.
        evidence: what proves it, for :meth:`StoppingRule.certificate`; anything.
    """

    stop: bool
    policy: npt.NDArray[np.int64] | None
    gap: float
    margin: npt.NDArray[np.float64] | None = None
    reason: str
    evidence: Any = None


class StoppingRule(ABC, Generic[C]):
    """A stopping rule. Built by ``factory(problem, config, delta, epsilon, scope)``.

    With a :func:`mfbpi_core.bound_parameter` in its ``Config`` it is handed ``bound=`` too.

    A rule sees the counts at scheduled steps, and nothing else: no agent, no environment. The
    schedule does not depend on when a run is evaluated or how it is divided.

    Attributes:
        problem: sizes, discount, and the range of the rewards.
        config: the rule's parameters.
        delta: accepted risk, in (0, 1).
        epsilon: accepted loss, 0 or more; 0 asks for an optimal policy.
        scope: the states that matter.
    """

    def __init__(
        self, problem: Problem, config: C, delta: float, epsilon: float, scope: Scope = "all"
    ) -> None:
        self.problem = problem
        self.config = config
        self.delta = delta
        self.epsilon = epsilon
        self.scope = scope

    @abstractmethod
    def check(self, counts: Counts) -> Verdict:
        """Judge the counts, which are not changed, at the next of the scheduled steps.

        A pair in scope that was never visited forbids to stop, and is named.
        """

    @property
    def doubt(self) -> str:
        """Why what the spec promises does not hold with these parameters; empty where it does."""
        return ""

    def certificate(
        self,
        counts: Counts,  # noqa: ARG002
        verdict: Verdict,  # noqa: ARG002
        *,
        version: str,  # noqa: ARG002
        task: Mapping[str, object] | None,  # noqa: ARG002
    ) -> dict[str, bytes]:
        """A file that proves a verdict, and those that it refers to; none by default.

        Args:
            counts: at the time of the verdict.
            verdict: the last one.
            version: of the software.
            task: what reruns the interaction, if anything does.

        Returns:
            Content by name; the certificate itself, JSON, is called "".
        """
        return {}

    def contains(self, counts: Counts, mdp: TabularMDP) -> bool | None:  # noqa: ARG002
        """Whether the confidence sets of the last check hold a model, for audits on known ones.

        None, the default: the rule has no sets of which to say it.
        """
        return None

    def state_dict(self) -> StateDict:
        """What earlier checks left, as a copy: the default copies all that is not given.

        Raises:
            CheckpointError: by default, when a generator is held of a class derived from numpy's,
                which would be copied as one of numpy's.
        """
        fixed = ("problem", "config", "delta", "epsilon", "scope", "bound")
        own = {k: v for k, v in vars(self).items() if k not in fixed}
        return copied(own, type(self).__name__)

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""
        vars(self).update(copy.deepcopy(state))
