"""What a policy does: an episode, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from mfbpi.api import objects
from mfbpi.api.building import Anything, make_environment
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data.transitions import Transition
from mfbpi_core.errors import UsageError
from mfbpi_core.running import signatures
from mfbpi_core.running.guard import Guard


@attrs.frozen(kw_only=True, eq=False)
class Moment:
    """A step.

    Attributes:
        step: its number, from 1.
        episode: number of its episode, from 1.
        transition: what happened; see :class:`mfbpi_core.Transition`.
    """

    step: int
    episode: int
    transition: Transition

    @property
    def ends(self) -> bool:
        """Whether its episode ends."""
        return self.transition.ends_episode


def play(
    act: Callable[[Any], int],
    environment: Anything,
    *,
    seed: int = 0,
    steps: int = 100,
    learn: Callable[[Transition], object] | None = None,
) -> Iterator[Moment]:
    """Act in an environment.

    Args:
        act: from an observation to an action: a policy, ``agent.recommend``, or
            ``agent.select_action`` for how an agent explores.
        environment: from :func:`mfbpi.make_environment`, or what that takes, such as its name.
        seed: of the environment.
        steps: how many.
        learn: told of each transition, such as ``agent.update``; None for nobody.

    Raises:
        UsageError: when there is no such environment, or no policy.
        PluginError: when the environment, or the action, is not what its contract says.

    Example:
        >>> import mfbpi
        >>> env = mfbpi.make_environment("riverswim")
        >>> moments = list(mfbpi.play(lambda state: 1, env, steps=20))
        >>> len(moments), moments[0].transition.observation
        (20, 0)
    """
    _check(act)
    environment = _made(environment)
    name = f"environment {type(environment).__name__}"
    signatures.check(environment, name)
    guard = Guard(environment, name, "the policy")
    observation = guard.first(environment.reset(seed=seed), 1)
    episode = 1
    for step in range(1, steps + 1):
        action = guard.action(act(observation), observation, step)
        outcome = guard.outcome(environment.step(action), observation, action, step)
        following, reward, terminated, truncated = outcome
        transition = Transition(observation, action, reward, following, terminated, truncated)
        if learn is not None:
            learn(transition)
        yield Moment(step=step, episode=episode, transition=transition)
        if transition.ends_episode:
            observation = guard.first(environment.reset(), step + 1)
            episode += 1
        else:
            observation = following


def _check(act: object) -> None:
    if isinstance(act, type) or not callable(act):
        raise UsageError(
            f"the policy is {objects.shown(act)}; expected a function from an observation to an "
            "action: a policy of one's own, or `agent.recommend` or `agent.select_action` of an "
            "agent that `mfbpi.make_agent` has built"
        )


def _made(given: Anything) -> Environment:
    """The environment itself, and as it is, whatever it lacks, where it can be stepped."""
    return given if isinstance(given, Environment) else make_environment(given)
