"""BSP2: bootstrapped DQN with randomised priors, with fresh masks for each batch.

As BSP, but which members learn from a transition is drawn anew, with probability 0.7 each,
whenever the transition is in a batch; every member learns from everything in the end.

Source: Russo & Proutiere 2023, section 5 and appendix.
"""

from __future__ import annotations

from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN
from mfbpi_lib_torch.learning.replicas import DeepReplicas


class BSP2(DeepAgent):
    """BSP2; see the module for the algorithm."""

    learner_type = BootstrappedDQN


class BSP2Replicas(DeepReplicas):
    """Several of them, learning at once."""

    learner_type = BootstrappedDQN
