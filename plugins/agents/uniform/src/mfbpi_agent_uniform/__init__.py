"""Uniform exploration, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="uniform",
        factory="mfbpi_agent_uniform.agent:Uniform",
        summary="Uniform actions; recommends the optimal policy of the empirical model.",
        needs={"states"},
    )
