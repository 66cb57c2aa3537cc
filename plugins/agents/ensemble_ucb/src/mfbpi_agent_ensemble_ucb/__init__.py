"""Ensemble UCB, optimism over an ensemble of Q-networks, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="ensemble_ucb",
        factory="mfbpi_agent_ensemble_ucb.agent:EnsembleUCB",
        config="mfbpi_agent_ensemble_ucb.config:Config",
        preset="mfbpi_agent_ensemble_ucb.config:preset",
        replicas="mfbpi_agent_ensemble_ucb.agent:EnsembleUCBReplicas",
        summary="Greedy for the mean of a Q-ensemble plus some standard deviations.",
        reference="Chen et al. 2017",
        needs={"arrays"},
    )
