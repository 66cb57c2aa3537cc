"""BSP: bootstrapped DQN with randomised priors.

One member of the ensemble, drawn for each episode, acts greedily, apart from uniform exploration
of probability 10 / (10 + t). Which members learn from a transition is drawn once, with probability
1/2 each, and stored with it. The mean over the members recommends.

Source: Osband et al. 2016 and 2018; parameters of Russo & Proutiere 2023, appendix.
"""

from __future__ import annotations

from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN
from mfbpi_lib_torch.learning.replicas import DeepReplicas


class BSPLearner(BootstrappedDQN):
    """BSP for several replicas."""

    stores_masks = True


class BSP(DeepAgent):
    """BSP; see the module for the algorithm."""

    learner_type = BSPLearner


class BSPReplicas(DeepReplicas):
    """Several of them, learning at once."""

    learner_type = BSPLearner
