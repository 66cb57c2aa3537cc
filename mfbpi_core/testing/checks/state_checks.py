"""Checks of environments and agents: a saved state goes on as if it had never been saved."""

from __future__ import annotations

import copy
import pickle

from mfbpi_core.contracts.agent import Agent
from mfbpi_core.running.interaction import Interaction
from mfbpi_core.running.state import restored
from mfbpi_core.testing.checks.agent_checks import N_STEPS
from mfbpi_core.testing.subject import AGENT_SEED, ENVIRONMENT_SEED, Subject, World
from mfbpi_core.testing.tools.comparison import require_equal
from mfbpi_core.testing.tools.trajectories import actions_for, steps, trajectory

#: Steps after a saved state is loaded.
N_STEPS_AFTER = 100


def saved_environment_resumes(subject: Subject) -> None:
    """Saved and loaded into another instance, an environment goes on bit for bit."""
    never, other = subject.environment(), subject.environment()
    actions = actions_for(never, N_STEPS_AFTER)
    other.reset(seed=ENVIRONMENT_SEED + 1)
    for stage in range(3):
        trajectory(never, actions[: stage + 1], ENVIRONMENT_SEED)
        state = never.state_dict()
        kept = copy.deepcopy(state)
        other.load_state_dict(pickle.loads(pickle.dumps(state)))
        again, expected = list(steps(other, actions)), list(steps(never, actions))
        require_equal(expected, again, f"{N_STEPS_AFTER} steps after loading differ")
        require_equal(kept, state, "interaction changed a state that was saved before")


def saving_resumes(subject: Subject) -> None:
    """Save, load, save, load, then 100 steps: as if never saved; states are picklable copies."""
    for world in subject.worlds():
        never, saved = subject.interaction(world), subject.interaction(world)
        require_equal(never.advance(N_STEPS), saved.advance(N_STEPS), "two runs with one seed")
        state = never.agent.state_dict()
        kept = copy.deepcopy(state)
        for seed in (AGENT_SEED + 1, AGENT_SEED + 2):
            saved.agent = _restored(subject, world, saved, seed)
        require_equal(kept, saved.agent.state_dict(), "loading a saved state does not restore it")
        what = f"{N_STEPS_AFTER} steps after loading differ{world.where}"
        require_equal(never.advance(N_STEPS_AFTER), saved.advance(N_STEPS_AFTER), what)
        require_equal(never.agent.state_dict(), saved.agent.state_dict(), what)
        require_equal(kept, state, "learning changed a state that was saved before")


def checkpoint_resumes(subject: Subject) -> None:
    """The state is plain data, which a checkpoint can hold, and goes on from what comes back.

    It goes on so in an agent that has already acted and learnt as well: what such an agent
    remembers beside its state, it has to forget.
    """
    for world in subject.worlds():
        never, saved = subject.interaction(world), subject.interaction(world)
        require_equal(never.advance(N_STEPS), saved.advance(N_STEPS), "two runs with one seed")
        state = never.agent.state_dict()
        saved.agent = _used(subject, world, saved)
        saved.agent.load_state_dict(restored(state))
        what = f"{N_STEPS_AFTER} steps after a checkpoint differ{world.where}"
        require_equal(never.advance(N_STEPS_AFTER), saved.advance(N_STEPS_AFTER), what)


def _used(subject: Subject, world: World, run: Interaction) -> Agent:
    """Another agent, which has learnt a little, and acted where ``run`` stands."""
    other = subject.interaction(world, AGENT_SEED + 1)
    other.advance(N_STEPS)
    other.agent.select_action(run.observation)
    return other.agent


def _restored(subject: Subject, world: World, run: Interaction, seed: int) -> Agent:
    """A new agent with the state of the one in ``run``, which goes on learning a little."""
    state = run.agent.state_dict()
    agent = subject.agent(world.problem(), seed)
    agent.load_state_dict(pickle.loads(pickle.dumps(state)))
    # The loaded one must not share arrays with the state, nor the state with the saved one.
    probe = subject.agent(world.problem(), seed)
    probe.load_state_dict(state)
    kept = copy.deepcopy(state)
    Interaction(world.make(), probe, seed).advance(N_STEPS_AFTER)
    require_equal(kept, state, "learning after load_state_dict changed the state it was given")
    return agent


ENVIRONMENT_CHECKS = (saved_environment_resumes,)
AGENT_CHECKS = (saving_resumes, checkpoint_resumes)
