"""Exploration for the certificate that the best policy is identified, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="fw_bpi",
        factory="mfbpi_agent_fw_bpi.agent:FWBPI",
        config="mfbpi_agent_fw_bpi.agent:Config",
        summary="Explore where it narrows the confidence sets that keep the policy uncertified.",
        needs={"states"},
    )
