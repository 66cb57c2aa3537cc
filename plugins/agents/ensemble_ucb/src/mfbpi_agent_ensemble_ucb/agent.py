"""Ensemble UCB: act greedily for an upper confidence bound over an ensemble of Q-networks.

In s_t, with mu(a) and sigma(a) the mean and standard deviation of Q_b(s_t, a) over the members,

    a_t = argmax_a mu(a) + c sigma(a),

apart from uniform exploration of probability 10 / (10 + t). The members learn as bootstrapped
double DQN with randomised priors, with fresh masks for each batch. The mean over the members
recommends.

Source: Chen, Sidor, Abbeel & Schulman 2017, "UCB exploration via Q-ensembles", whose members have
neither priors nor masks.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_agent_ensemble_ucb.config import Config
from mfbpi_lib_torch.experience.lane import Lane
from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.learning.bootstrapped import Bootstrapped
from mfbpi_lib_torch.learning.learner import Values
from mfbpi_lib_torch.learning.replicas import DeepReplicas


class EnsembleUCBLearner(Bootstrapped[Lane, Config]):
    """Ensemble UCB for several replicas."""

    double = True

    def lane(self, rng: np.random.Generator, replay: Replay) -> Lane:
        """A replica; nothing is drawn for an episode."""
        return Lane(rng, replay)

    def choose(self, lane: Lane, values: Values) -> int:  # noqa: ARG002 - nothing is drawn
        """The action of largest bound; the first of equals."""
        return int(upper_bound(values["q"], self.config.optimism).argmax())


def upper_bound(q: npt.NDArray[np.float64], optimism: float) -> npt.NDArray[np.float64]:
    """mu + c sigma of the module, float64 [A], from the values [B, A] of the members."""
    bound: npt.NDArray[np.float64] = q.mean(axis=0) + optimism * q.std(axis=0)
    return bound


class EnsembleUCB(DeepAgent):
    """Ensemble UCB; see the module for the algorithm."""

    learner_type = EnsembleUCBLearner


class EnsembleUCBReplicas(DeepReplicas):
    """Several of them, learning at once."""

    learner_type = EnsembleUCBLearner
