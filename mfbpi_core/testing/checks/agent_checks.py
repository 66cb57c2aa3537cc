"""Checks of agents: actions, determinism, side effects, drivers, presets."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.parameters import from_dict
from mfbpi_core.contracts.replicas import Replicas
from mfbpi_core.data import exact
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.plugins.spec import load_object
from mfbpi_core.running.interaction import Interaction
from mfbpi_core.running.lockstep import step
from mfbpi_core.testing.outcomes import CheckSkipped, require
from mfbpi_core.testing.subject import AGENT_SEED, ENVIRONMENT_SEED, Subject, World
from mfbpi_core.testing.tools.comparison import require_equal
from mfbpi_core.testing.tools.generators import require_independence

#: Steps of training: enough for a replay buffer to fill its first batches.
N_STEPS = 200


def actions_are_valid(subject: Subject) -> None:
    """Selected and recommended actions are integers in 0..A-1, and the policy agrees."""
    world = subject.world()
    problem = world.problem()
    fresh, start = subject.agent(problem), world.make().reset(seed=ENVIRONMENT_SEED)[0]
    _require_action(fresh.select_action(start), "select_action", problem)
    interaction = subject.interaction(world)
    chunk = interaction.advance(N_STEPS)
    agent = interaction.agent
    for observation in chunk.observations[-10:]:
        _require_action(agent.recommend(observation), "recommend", problem)
    policy = agent.recommended_policy()
    if policy is not None:
        shape = (problem.n_states,)
        require(policy.shape == shape, f"recommended_policy has shape {policy.shape}; {shape}")
        for s in range(len(policy)):
            chosen = agent.recommend(s)
            require(policy[s] == chosen, f"in state {s} the policy is {policy[s]}, not {chosen}")


def _require_action(action: object, rule: str, problem: Problem) -> None:
    number, last = exact.whole(action), problem.n_actions - 1
    inside = number is not None and 0 <= number <= last
    require(inside, f"{rule} returned {action!r}; expected an integer from 0 to {last}")


def allocation_is_a_distribution(subject: Subject) -> None:
    """The allocation, if there is one, is a distribution over state-action pairs."""
    interaction = subject.interaction(subject.world())
    for n_steps in (0, N_STEPS):
        interaction.advance(n_steps)
        omega = interaction.agent.allocation
        if omega is None:
            raise CheckSkipped("the agent declares no allocation")
        shape = (interaction.agent.problem.n_states, interaction.agent.problem.n_actions)
        require(omega.shape == shape, f"the allocation has shape {omega.shape}; expected {shape}")
        low, total = float(omega.min()), float(omega.sum())
        good = low >= 0.0 and abs(total - 1.0) <= 1e-9
        require(good, f"the allocation has minimum {low:.6g} and sum {total:.12g}; expected 0, 1")


def same_seed_same_actions(subject: Subject) -> None:
    """Equal seeds give equal transitions and equal states."""
    for world in subject.worlds():
        runs = []
        for _ in range(2):
            interaction = subject.interaction(world)
            runs.append((interaction.advance(N_STEPS), interaction.agent.state_dict()))
        require_equal(runs[0], runs[1], f"two runs with one seed differ{world.where}")


def steps_add_up(subject: Subject) -> None:
    """3 steps and 7 more are 10 steps, however the loop divides them."""
    for world in subject.worlds():
        whole, parts = subject.interaction(world), subject.interaction(world)
        for factor in (1, N_STEPS // 10):
            chunks = [whole.advance(10 * factor)]
            pieces = [parts.advance(3 * factor), parts.advance(7 * factor)]
            what = f"{3 * factor} + {7 * factor} steps are not {10 * factor}{world.where}"
            require_equal(_columns(chunks), _columns(pieces), what)
            require_equal(whole.agent.state_dict(), parts.agent.state_dict(), what)


def recommend_has_no_side_effect(subject: Subject) -> None:
    """Asking for recommendations and the allocation changes neither state nor later actions."""
    world = subject.world()
    asked, alone = subject.interaction(world), subject.interaction(world)
    for _ in range(3):
        chunk, same = asked.advance(N_STEPS // 3), alone.advance(N_STEPS // 3)
        require_equal(same, chunk, "an agent that was asked to recommend acts differently")
        before = asked.agent.state_dict()
        _ask(asked.agent, chunk)
        what = "recommend, recommended_policy or allocation changed the state"
        require_equal(before, asked.agent.state_dict(), what)


def _ask(agent: Agent, chunk: Transitions) -> None:
    for observation in chunk.observations:
        agent.recommend(observation)
    agent.recommended_policy()
    _ = agent.allocation


def drivers_agree(subject: Subject) -> None:
    """Compiled steps are those of select_action and update, bit for bit."""
    world = subject.compiled_world()
    if world is None:
        raise CheckSkipped("no environment installed has a simulator that the agent uses")
    compiled, stepped = subject.interaction(world), subject.interaction(world)
    for n_steps in (1, N_STEPS, N_STEPS):
        chunk = compiled.advance(n_steps)
        # The loop steps one by one where a number of episodes is asked for.
        reference = stepped.advance(n_steps, sys.maxsize)
        what = f"the compiled driver differs from select_action and update{world.where}"
        require_equal(_columns([reference]), _columns([chunk]), what)
        require_equal(stepped.agent.state_dict(), compiled.agent.state_dict(), what)


def preset_fits_config(subject: Subject) -> None:
    """Published settings, where the spec names them, are parameters with allowed values."""
    spec = subject.plugin.spec
    if not spec.preset:
        raise CheckSkipped("the spec names no preset")
    preset, config = load_object(spec.preset), subject.plugin.load_config()
    worlds = [subject.world(), *subject.installed_worlds()]
    for world in worlds:
        values = preset(world.problem())
        what = f"the preset for {world.name or 'an unknown environment'} is {values!r}"
        require(isinstance(values, dict), f"{what}; expected a dictionary of parameters")
        from_dict(config, values)


def replicas_act_as_agents(subject: Subject) -> None:
    """Replicas, where the spec names them, take the steps of agents with their generators."""
    spec, world = subject.plugin.spec, subject.world()
    if not spec.replicas:
        raise CheckSkipped("the spec names no replicas")
    seeds = (AGENT_SEED, AGENT_SEED + 1)
    rngs = [np.random.default_rng(seed) for seed in seeds]
    made: Replicas = load_object(spec.replicas)(world.problem(), subject.config(), rngs)
    require(len(made.agents) == len(rngs), f"{len(rngs)} generators: {len(made.agents)} agents")
    interactions = [Interaction(world.make(), agent, ENVIRONMENT_SEED) for agent in made.agents]
    taken = zip(*(step(made, interactions) for _ in range(N_STEPS)), strict=True)
    for r, (seed, steps) in enumerate(zip(seeds, taken, strict=True)):
        expected = subject.interaction(world, seed).advance(N_STEPS)
        found = interactions[r].gathered(list(steps))
        require_equal(expected, found, f"replica {r} is not the agent on its own")


def global_generators_untouched(subject: Subject) -> None:
    """The global generators neither change nor matter."""
    for world in subject.worlds():
        require_independence(_whole_run(subject, world))


def _whole_run(subject: Subject, world: World) -> Callable[[], object]:
    def run() -> object:
        """The steps, then what the agent recommends, and its state."""
        interaction = subject.interaction(world)
        chunk = interaction.advance(N_STEPS)
        _ask(interaction.agent, chunk)
        return chunk, interaction.agent.state_dict()

    return run


def _columns(chunks: list[Transitions]) -> dict[str, Any]:
    """The chunks as one, without the step at which they start."""
    given = [chunk.columns() for chunk in chunks]
    names = given[0].keys() - {"start"}
    return {n: np.concatenate([np.asarray(one[n]) for one in given]) for n in sorted(names)}


CHECKS = (
    actions_are_valid,
    allocation_is_a_distribution,
    same_seed_same_actions,
    steps_add_up,
    recommend_has_no_side_effect,
    drivers_agree,
    preset_fits_config,
    replicas_act_as_agents,
    global_generators_untouched,
)
