"""Q-learning with forced exploration, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="q_learning",
        factory="mfbpi_agent_q_learning.agent:QLearning",
        config="mfbpi_agent_q_learning.agent:Config",
        summary="Q-learning: optimistic start, greedy actions, forced exploration.",
        reference="Watkins 1989; step sizes of Jin et al. 2018",
        needs={"states"},
    )
