"""Checks of environments: signatures, actions, ends of episodes, cells."""

from __future__ import annotations

import copy

import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.parts import check_parts
from mfbpi_core.data import exact
from mfbpi_core.errors import ActionError
from mfbpi_core.testing.outcomes import CheckSkipped, require
from mfbpi_core.testing.subject import ENVIRONMENT_SEED, Subject
from mfbpi_core.testing.tools.comparison import require_equal
from mfbpi_core.testing.tools.trajectories import N_STEPS, actions_for, trajectory

#: Episodes followed to their end, and the longest that is waited for.
N_EPISODES = 3
LONGEST_EPISODE = 20_000


def signatures(subject: Subject) -> None:
    """Reset and step return what Gymnasium's do, and what the attributes declare."""
    environment = subject.environment()
    n_actions = environment.n_actions
    require(isinstance(n_actions, int) and n_actions >= 1, f"n_actions is {n_actions!r}")
    first = environment.reset(seed=ENVIRONMENT_SEED, options=None)
    require(isinstance(first, tuple) and len(first) == 2, f"reset returned {first!r}")
    require(isinstance(first[1], dict), f"reset returned the info {first[1]!r}; expected a dict")
    _require_observation(environment, first[0])
    for action in actions_for(environment, N_STEPS):
        step = environment.step(action)
        require(isinstance(step, tuple) and len(step) == 5, f"step returned {step!r}; expected 5")
        observation, reward, terminated, truncated, info = step
        _require_observation(environment, observation)
        low, high = environment.reward_range
        real = isinstance(reward, float | int) and not isinstance(reward, bool)
        require(real and low <= reward <= high, f"reward {reward!r}; expected {low} to {high}")
        flags = (terminated, truncated)
        require(all(isinstance(f, bool | np.bool_) for f in flags), f"{flags} are not booleans")
        require(isinstance(info, dict), f"step returned the info {info!r}; expected a dict")
        if terminated or truncated:
            environment.reset()


def _require_observation(environment: Environment, observation: object) -> None:
    n_states = environment.n_states
    if n_states is not None:
        state = exact.whole(observation)
        inside = state is not None and 0 <= state < n_states
        require(
            inside, f"observation {observation!r}; expected an integer from 0 to {n_states - 1}"
        )
        return
    shape = getattr(observation, "shape", None)
    expected = environment.observation_shape
    require(shape == expected, f"observation of shape {shape}; expected an array of {expected}")


def bad_actions_refused(subject: Subject) -> None:
    """Anything but an integer in 0..A-1 raises ActionError, whose message names the range."""
    environment = subject.environment()
    environment.reset(seed=ENVIRONMENT_SEED)
    last = environment.n_actions - 1
    bad = (-1, last + 1, True, 0.0, np.float64(0.0), None, "0")
    for action in bad:
        try:
            environment.step(action)  # type: ignore[arg-type]
        except ActionError as error:
            named = "0" in str(error) and str(last) in str(error)
            require(named, f"the message for {action!r} does not name 0 to {last}: {error}")
        else:
            require(False, f"step({action!r}) was accepted; expected ActionError (0 to {last})")
    environment.step(np.int64(0))  # type: ignore[arg-type]


def observations_are_not_reused(subject: Subject) -> None:
    """An observation that was returned stays as it was: arrays are not overwritten later."""
    environment = subject.environment()
    kept = [environment.reset(seed=ENVIRONMENT_SEED)[0]]
    copies = copy.deepcopy(kept)
    for action in actions_for(environment, N_STEPS):
        observation, _, terminated, truncated, _ = environment.step(action)
        kept.append(observation)
        copies.append(copy.deepcopy(observation))
        if terminated or truncated:
            environment.reset()
    require_equal(copies, kept, "a later step overwrote an observation")


def episodes_end_in_time(subject: Subject) -> None:
    """No episode is longer than max_episode_steps."""
    environment = subject.environment()
    limit = environment.max_episode_steps
    if limit is None or limit > LONGEST_EPISODE:
        raise CheckSkipped(f"max_episode_steps is {limit}: no end to wait for")
    environment.reset(seed=ENVIRONMENT_SEED)
    for _ in range(N_EPISODES):
        steps = _episode_length(environment, actions_for(environment, limit))
        require(steps is not None, f"an episode goes on after max_episode_steps = {limit} steps")
        environment.reset()


def _episode_length(environment: Environment, actions: list[int]) -> int | None:
    for number, action in enumerate(actions, start=1):
        _, _, terminated, truncated, _ = environment.step(action)
        if terminated or truncated:
            return number
    return None


def cells_cover_observations(subject: Subject) -> None:
    """Every observation lies in a cell, and each that an action is taken in is reachable."""
    environment = subject.environment()
    cells = environment.cells
    if cells is None:
        raise CheckSkipped("the environment declares no cells")
    shown = trajectory(environment, actions_for(environment, N_STEPS), ENVIRONMENT_SEED)
    seen = [item[0] if isinstance(item, tuple) else item for item in shown]
    index: npt.NDArray[np.int64] = cells.index(np.array(seen))
    require(index.shape == (len(seen),), f"cells.index returned shape {index.shape}")
    inside = (index >= 0) & (index < cells.count)
    require(inside.all(), f"cells.index returned {index[~inside][:1]}; there are {cells.count}")
    if cells.reachable is not None:
        ended = [isinstance(item, tuple) and bool(item[2] or item[3]) for item in shown]
        visited = np.unique(index[~np.array(ended)])
        hidden = visited[~cells.reachable[visited]]
        require(hidden.size == 0, f"visited cells {hidden.tolist()} are declared unreachable")


def parts_are_there(subject: Subject) -> None:
    """Files and modules that an environment says it is made of are there: results name both."""
    check_parts(subject.environment())


CHECKS = (
    parts_are_there,
    signatures,
    bad_actions_refused,
    observations_are_not_reused,
    episodes_end_in_time,
    cells_cover_observations,
)
