"""DBMF-BPI, deep bootstrapped model-free best-policy identification, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="dbmf_bpi",
        factory="mfbpi_agent_dbmf_bpi.agent:DBMFBPI",
        config="mfbpi_agent_dbmf_bpi.config:Config",
        preset="mfbpi_agent_dbmf_bpi.config:preset",
        replicas="mfbpi_agent_dbmf_bpi.agent:DBMFBPIReplicas",
        summary="Deep exploration by the allocation of a bootstrapped bound.",
        reference="Russo & Proutiere 2023, section 4, algorithm 2",
        needs={"arrays"},
    )
