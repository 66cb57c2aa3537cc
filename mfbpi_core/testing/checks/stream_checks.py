"""Checks of environments: seeds and random streams."""

from __future__ import annotations

import itertools

from mfbpi_core.contracts.environment import Environment
from mfbpi_core.testing.outcomes import CheckSkipped, require
from mfbpi_core.testing.subject import ENVIRONMENT_SEED, Subject
from mfbpi_core.testing.tools.comparison import difference, require_equal
from mfbpi_core.testing.tools.generators import require_independence
from mfbpi_core.testing.tools.trajectories import N_STEPS, actions_for, trajectory, walk

#: Steps of one round between two resets.
ROUND_STEPS = 40

#: Rounds, or seeds, that a random environment would have to repeat by chance.
N_ROUNDS = 8


def same_seed_same_trajectory(subject: Subject) -> None:
    """Equal seeds give equal trajectories, in two instances by turns and again in a used one."""
    one, two = subject.environment(), subject.environment()
    actions = actions_for(one, N_STEPS)
    walks = (walk(environment, actions, ENVIRONMENT_SEED) for environment in (one, two))
    by_turns = list(itertools.zip_longest(*walks))
    reference = [shown for shown, _ in by_turns]
    again = [shown for _, shown in by_turns]
    require_equal(reference, again, "two instances with one seed, used by turns, differ")
    used = trajectory(one, actions, ENVIRONMENT_SEED)
    require_equal(reference, used, "reset(seed) of a used instance differs from a new one's")


def reset_continues_stream(subject: Subject) -> None:
    """Without a seed, reset goes on with the generator: same again from the seed, no repetition."""
    environment = subject.environment()
    rounds, again = _rounds(environment), _rounds(subject.environment())
    require_equal(rounds, again, "reset() without a seed is not determined by the seed before it")
    if all(difference(rounds[0], other) is None for other in rounds[1:]):
        fixed = _seeds_agree(environment)
        require(fixed, "reset() without a seed starts the same random stream again")
        raise CheckSkipped("the environment shows no randomness, so no repetition can be seen")


def _rounds(environment: Environment) -> list[list[object]]:
    """Trajectories of the same actions, the first from a seed, the others from reset()."""
    actions = actions_for(environment, ROUND_STEPS)
    seeds = [ENVIRONMENT_SEED] + [None] * (N_ROUNDS - 1)
    return [trajectory(environment, actions, seed) for seed in seeds]


def _seeds_agree(environment: Environment) -> bool:
    actions = actions_for(environment, ROUND_STEPS)
    shown = [trajectory(environment, actions, seed) for seed in range(N_ROUNDS)]
    return all(difference(shown[0], other) is None for other in shown[1:])


def seed_has_effect(subject: Subject) -> None:
    """Different seeds give different trajectories, where the model is random."""
    environment = subject.environment()
    model = environment.model
    if model is None:
        raise CheckSkipped("without a model it is not known whether the environment is random")
    chances = [model.probabilities[~model.terminal], model.initial]
    if model.reward_law == "bernoulli":
        chances.append(model.rewards[~model.terminal])
    if not any(((p > 0.0) & (p < 1.0)).any() for p in chances):
        raise CheckSkipped("the model is deterministic")
    agree = _seeds_agree(environment)
    require(not agree, f"seeds 0 to {N_ROUNDS - 1} give one trajectory, but the model is random")


def global_generators_untouched(subject: Subject) -> None:
    """The global generators neither change nor matter."""

    def run() -> list[object]:
        """A trajectory from a seed."""
        environment = subject.environment()
        return trajectory(environment, actions_for(environment, N_STEPS), ENVIRONMENT_SEED)

    require_independence(run)


CHECKS = (
    same_seed_same_trajectory,
    reset_continues_stream,
    seed_has_effect,
    global_generators_untouched,
)
