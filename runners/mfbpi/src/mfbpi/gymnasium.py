"""Every installed environment as one of Gymnasium's: ``gymnasium.make("mfbpi/RiverSwim-v0")``.

Importing this registers them; Gymnasium does so by itself for an id with the module in front::

    gymnasium.make("mfbpi.gymnasium:mfbpi/RiverSwim-v0", n_states=20)

An id is the name of the environment's class; parameters are arguments of ``make``. What has an
exact model has it in ``unwrapped.P``, in the form of Gymnasium's toy texts, and the distribution of
the first state in ``unwrapped.initial_state_distrib``.
"""

from __future__ import annotations

import functools
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mfbpi.api.building import make_environment
from mfbpi.instances import scenes
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.plugins.registry import Registry

#: One entry of ``P``: probability, next state, reward, terminated.
Entry = tuple[float, int, float, bool]


class Environment(gymnasium.Env[Any, Any]):
    """An environment of ours.

    Args:
        environment: its name.
        render_mode: ``"ansi"`` for a line of text or a grid of signs, where states are integers or
            a one-hot grid; ``"rgb_array"`` for a picture, of cart and pole too.
        parameters: its parameters.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self, environment: str, render_mode: str | None = None, **parameters: object
    ) -> None:
        self.environment = make_environment(environment, **parameters)
        self.render_mode = render_mode
        modes = ["rgb_array"] if scenes.is_picture_only(self.environment) else ["ansi", "rgb_array"]
        self.metadata = {**type(self).metadata, "render_modes": modes}
        self.action_space = spaces.Discrete(self.environment.n_actions)
        n_states = self.environment.n_states
        if n_states is None:
            shape = self.environment.observation_shape
            self.observation_space = spaces.Box(-np.inf, np.inf, shape, np.float32)
        else:
            self.observation_space = spaces.Discrete(n_states)
        self._shown: Any = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Any, dict[str, object]]:
        """Start an episode; a seed restarts the environment's own generator."""
        super().reset(seed=seed)
        self._shown, info = self.environment.reset(seed=seed, options=options)
        return self._shown, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, object]]:
        """Take an action; a time limit of the environment truncates."""
        self._shown, *rest = self.environment.step(int(action))
        return self._shown, *rest

    @functools.cached_property
    def P(self) -> dict[int, dict[int, list[Entry]]]:  # noqa: N802 - Gymnasium's name
        """What may follow each pair, Bernoulli rewards as outcomes of their own.

        Raises:
            AttributeError: for an environment without an exact model.
        """
        model = self._model()
        return {
            s: {a: _entries(model, s, a) for a in range(model.n_actions)}
            for s in range(model.n_states)
        }

    @property
    def initial_state_distrib(self) -> npt.NDArray[np.float64]:
        """The distribution of the first state, [S]; raises AttributeError without a model."""
        return self._model().initial.copy()

    def _model(self) -> TabularMDP:
        model = self.environment.model
        if model is None or self.environment.n_states is None:
            raise AttributeError(f"{type(self.environment).__name__} shows no states of a model")
        return model

    def render(self) -> Any:
        """A text or a picture of where the episode is."""
        if self.render_mode is None or self._shown is None:
            return None
        if self.render_mode == "ansi":
            return scenes.text(self.environment, self._shown)
        return self._scenery.picture(self._shown)

    @functools.cached_property
    def _scenery(self) -> scenes.Scenery:
        return scenes.Scenery(self.environment)


def _entries(model: TabularMDP, s: int, a: int) -> list[Entry]:
    """What may follow a pair."""
    found: list[Entry] = []
    for p, following, r in zip(
        model.probabilities[s, a], model.successors[s, a], model.rewards[s, a], strict=True
    ):
        end, target = bool(model.terminal[following]), int(following)
        paid = [(1.0, float(r))]
        if model.reward_law == "bernoulli" and not model.terminal[s]:
            paid = [(float(r), 1.0), (1.0 - float(r), 0.0)]
        found += [(float(p) * q, target, value, end) for q, value in paid if p * q > 0.0]
    return found


def register() -> list[str]:
    """Register every installed environment, unless it is already; returns the ids."""
    ids = []
    for plugin in Registry.discover().of_kind("environment"):
        if plugin.spec.adopts:  # Gymnasium's own
            continue
        environment_id = f"mfbpi/{plugin.spec.factory.partition(':')[2]}-v0"
        ids.append(environment_id)
        if environment_id not in gymnasium.registry:
            gymnasium.register(
                id=environment_id,
                entry_point=f"{__name__}:{Environment.__name__}",
                kwargs={"environment": plugin.spec.name},
            )
    return ids


#: What is registered.
IDS = register()
