"""MF-BPI, model-free best-policy identification, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="mf_bpi",
        factory="mfbpi_agent_mf_bpi.agent:MFBPI",
        config="mfbpi_agent_mf_bpi.agent:Config",
        summary="Model-free exploration by the closed-form allocation of a bootstrapped bound.",
        reference="Russo & Proutiere 2023, section 4, algorithm 1",
        needs={"states"},
    )
