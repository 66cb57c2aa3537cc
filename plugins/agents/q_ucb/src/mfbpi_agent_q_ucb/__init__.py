"""Q-learning with upper confidence bounds, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="q_ucb",
        factory="mfbpi_agent_q_ucb.agent:QUCB",
        config="mfbpi_agent_q_ucb.agent:Config",
        summary="Q-learning with a bonus for pairs that were visited less.",
        reference="Wang, Dong, Chen & Wang 2020; parameters of Russo & Proutiere 2023, appendix",
        needs={"states"},
    )
