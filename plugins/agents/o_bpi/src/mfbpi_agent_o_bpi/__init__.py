"""O-BPI, online best-policy identification, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="o_bpi",
        factory="mfbpi_agent_o_bpi.agent:OBPI",
        config="mfbpi_agent_o_bpi.agent:Config",
        summary="Follow the optimal allocation of a bound on learnt values and moments.",
        reference="Russo & Proutiere 2023, section 4",
        needs={"states"},
    )
