"""Checks of agents: truncation is not termination.

Both use the gate of :class:`mfbpi_core.testing.worlds.gates.Gate`, where the better action
depends on whether what lies beyond the end of an episode counts.
"""

from __future__ import annotations

from mfbpi_core.testing.outcomes import CheckSkipped, require
from mfbpi_core.testing.subject import Subject, World
from mfbpi_core.testing.worlds.gates import Gate, OneHotGate

#: Steps in which the agent has to find the better of two actions; fewer with array observations,
#: where one step takes longer and learns from many.
GATE_STEPS = 6_000
GATE_STEPS_ARRAYS = 600

#: The two actions before the gate.
PASS, STAY = 0, 1


def truncation_bootstraps(subject: Subject) -> None:
    """What lies beyond a truncation counts: the agent learns to go where episodes are cut."""
    _require_at_gate(subject, PASS, terminates=False)


def termination_does_not_bootstrap(subject: Subject) -> None:
    """Nothing lies beyond a termination: the agent learns not to end a good episode."""
    _require_at_gate(subject, STAY, terminates=True)


def _require_at_gate(subject: Subject, best: int, *, terminates: bool) -> None:
    kind = Gate if subject.world().make().n_states is not None else OneHotGate
    world = World("", lambda: kind(terminates=terminates))
    if not subject.plugin.spec.needs <= world.make().provides:
        raise CheckSkipped("the agent needs more than the kit's environments provide")
    arrays = kind is OneHotGate
    interaction = subject.interaction(world)
    interaction.advance(GATE_STEPS_ARRAYS if arrays else GATE_STEPS)
    start = interaction.environment.reset(seed=0)[0]
    chosen = interaction.agent.recommend(start)
    end = "terminates" if terminates else "truncates"
    steps = f"after {interaction.step} steps the recommended action is {chosen}; expected {best}"
    require(chosen == best, f"{steps}, where action {PASS} {end} the episode at a state worth 10")


CHECKS = (truncation_bootstraps, termination_does_not_bootstrap)
