"""Cartpole swing-up: a pole hangs from a cart and has to be swung up and held, at difficulty k.

Dynamics: those of bsuite's ``CartpoleSwingup`` (a cart of 1 kg, a pole of 0.1 kg, pushes of 10 N,
steps of 0.01 s), with actions left (0), stay (1) and right (2). Each push costs 0.1. A step pays 1
when the state reached is *upright*:

    cos(theta) > k / 20   and   |theta'| < 1   and   |x| < 1 - k / 20.

An episode starts with the pole hanging near rest at the centre. It terminates when the cart leaves
the track, |x| > 3, and is truncated after 1000 steps (10 s).

The observation is float32 [8]: x / 3, x' / 3, sin(theta), cos(theta), theta', time / 10 s, and
+1 or -1 for each of |x| < 1 - k / 20 and |theta'| < 1.

Sources: Osband et al. 2020, "Behaviour Suite for Reinforcement Learning", whose class is used here;
Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning", numerical
experiments and appendix on environments.
"""

from __future__ import annotations

import functools

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import Cells, RunProtocol, Transitions, parameter
from mfbpi_core.data.arrays import Array
from mfbpi_core.data.plain import StateDict
from mfbpi_env_cartpole_swingup.grid import BINS, RANGES, cell_numbers
from mfbpi_env_cartpole_swingup.picture import picture
from mfbpi_lib_bsuite.environment import BsuiteEnvironment

#: Levels of difficulty: k runs from 0 to 19.
LEVELS = 20

#: Steps after which an episode is truncated: 10 s. bsuite means the same, but adds 0.01 up in
#: floating point and ends one step later.
TIME_LIMIT = 1000

#: Cost of a push, and the reward of an upright step.
MOVE_COST, UPRIGHT_REWARD = 0.1, 1.0


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of cartpole swing-up."""

    k: int = parameter(
        5, "difficulty: height above k/20, |x| below 1 - k/20", ge=0, lt=LEVELS, source="paper"
    )


class CartpoleSwingup(BsuiteEnvironment):
    """Cartpole swing-up; see the module for its dynamics.

    Attributes:
        features: what the words promise is said in :mod:`mfbpi_core.contracts.features`.
        grid: the axes of the cells in their order, each variable with its cell edges.
    """

    features = frozenset({"cartpole", "episodes"})
    max_episode_steps = TIME_LIMIT
    reward_range = (-MOVE_COST, UPRIGHT_REWARD)
    protocol = RunProtocol(episodes=200, eval_every=2_000)

    def __init__(self, config: Config) -> None:
        # bsuite takes half a second to import: only who builds the environment pays for it.
        from bsuite.experiments.cartpole_swingup import cartpole_swingup

        level = config.k / LEVELS
        raw = cartpole_swingup.CartpoleSwingup(
            height_threshold=level, x_reward_threshold=1 - level, move_cost=MOVE_COST
        )
        super().__init__(raw)
        self.observation_shape = self.observation_shape[1:]  # bsuite's is [1, 8]
        self._clock = 0

    @functools.cached_property
    def cells(self) -> Cells:
        """16^4 cells over (x, x', theta, theta'); see the module ``grid``."""
        return Cells(count=BINS ** len(RANGES), index=cell_numbers)

    @functools.cached_property
    def grid(self) -> dict[str, npt.NDArray[np.float64]]:
        """Cell edges along each variable, float64 [17]."""
        return {name: np.linspace(low, high, BINS + 1) for name, (low, high) in RANGES.items()}

    def upright(self, transitions: Transitions) -> npt.NDArray[np.bool_]:
        """Which steps reached an upright state, bool [n].

        Told by the reward, which is 1 or 0.9 there and 0 or -0.1 elsewhere: exact, where the
        cosine in the float32 observation could be rounded across the threshold.
        """
        return transitions.rewards > UPRIGHT_REWARD / 2.0

    def picture(self) -> npt.NDArray[np.uint8]:
        """Cart and pole, once an episode has begun."""
        state = self.raw._state
        return picture(float(state.x), float(state.theta))

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, object]]:
        """Start an episode with the pole hanging; see :meth:`mfbpi_core.Environment.reset`."""
        self._clock = 0
        return super().reset(seed=seed, options=options)

    def step(
        self, action: int
    ) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, object]]:
        """Push left, stay or push right; see :meth:`mfbpi_core.Environment.step`."""
        observation, reward, terminated, _, info = super().step(action)
        self._clock += 1
        truncated = not terminated and self._clock >= TIME_LIMIT
        self._in_episode = not (terminated or truncated)
        return observation, reward, terminated, truncated, info

    def _shown(self, observation: Array) -> npt.NDArray[np.float32]:
        return np.asarray(observation[0], dtype=np.float32)

    def state_dict(self) -> StateDict:
        """The state of cart and pole, the clock and the random stream."""
        return {**super().state_dict(), "clock": self._clock}

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned; raises :class:`CheckpointError`."""
        super().load_state_dict(state)
        self._clock = state["clock"]
