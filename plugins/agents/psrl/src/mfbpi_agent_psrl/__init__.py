"""Posterior sampling for reinforcement learning, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="psrl",
        factory="mfbpi_agent_psrl.agent:PSRL",
        config="mfbpi_agent_psrl.agent:Config",
        summary="Posterior sampling: follow the optimal policy of a model drawn by belief.",
        reference="Osband, Russo & Van Roy 2013; Strens 2000",
        needs={"states"},
    )
