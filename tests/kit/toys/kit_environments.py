"""Environments that each break one rule."""

# ruff: noqa: D102 - methods are explained by their class

from pathlib import Path
from random import random

import numpy as np
from kit_good import Arrays, Chain

from mfbpi_core import Cells, EnvironmentSpec, hookimpl
from mfbpi_core.errors import ActionError


class FourValues(Chain):
    """Returns Gym's old four values."""

    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated or truncated, info


class RewardOutsideRange(Chain):
    """Pays more than it declares."""

    def __init__(self, config):
        super().__init__(config)
        self.reward_range = (0.0, 0.5)

    @property
    def model(self):
        return None


class ObservationOutsideRange(Chain):
    """Shows states from 1 to S."""

    def observe(self, state):
        return state + 1

    @property
    def model(self):
        return None

    @property
    def cells(self):
        return None


class AnyAction(Chain):
    """Takes the remainder of an action instead of refusing it."""

    def check_action(self, action):
        pass

    def step(self, action):
        return super().step(int(action or 0) % self.n_actions)


class BooleanAction(Chain):
    """Takes True for 1."""

    def step(self, action):
        return super().step(int(action) if isinstance(action, bool) else action)


class SilentRefusal(Chain):
    """Refuses without saying what is expected."""

    def check_action(self, action):
        try:
            super().check_action(action)
        except ActionError:
            raise ActionError("bad action") from None


class OverwrittenArray(Arrays):
    """Shows one array, again and again."""

    def __init__(self, config):
        super().__init__(config)
        self.buffer = np.zeros(2)

    def observe(self, state):
        self.buffer[:] = np.arange(2) == state
        return self.buffer


class LateEnd(Chain):
    """Ends one step after its own time limit."""

    def step(self, action):
        self.max_episode_steps += 1
        try:
            return super().step(action)
        finally:
            self.max_episode_steps -= 1


class OneCell(Chain):
    """Declares one cell fewer than it uses."""

    @property
    def cells(self):
        return Cells(count=1, index=lambda states: states)


class HiddenCell(Chain):
    """Declares a state that it visits unreachable."""

    @property
    def cells(self):
        mask = np.array([True, False])
        return Cells(count=2, index=lambda states: states, reachable=mask)


class IgnoredSeed(Chain):
    """Draws fresh entropy whatever the seed."""

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.rng = np.random.default_rng()
        return super().reset(seed=None, options=options)


class SharedGenerator(Chain):
    """All instances share one generator."""

    shared = np.random.default_rng(0)

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            SharedGenerator.shared = np.random.default_rng(seed)
        self.rng = SharedGenerator.shared
        return super().reset(options=options)

    def step(self, action):
        self.rng = SharedGenerator.shared
        return super().step(action)


class SeededOnce(Chain):
    """Only the first seed counts."""

    seeded = False

    def reset(self, *, seed=None, options=None):
        seed = None if self.seeded else seed
        self.seeded = True
        return super().reset(seed=seed, options=options)


class RepeatedStream(Chain):
    """Starts the same stream at every reset."""

    seed = 0

    def reset(self, *, seed=None, options=None):
        self.seed = self.seed if seed is None else seed
        return super().reset(seed=self.seed, options=options)


class FreshStream(Chain):
    """Draws fresh entropy at a reset without a seed."""

    def reset(self, *, seed=None, options=None):
        if seed is None:
            self.rng = np.random.default_rng()
        return super().reset(seed=seed, options=options)


class ConstantSeed(Chain):
    """Takes any seed for 0."""

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=None if seed is None else 0, options=options)


class LosesItsFile(Chain):
    """Says that it is made of a file that is not there."""

    made_of = (Path("gone.csv"),)


class MisnamesItsModule(Chain):
    """Says that it is made of a module that there is not."""

    made_of = ("no_such_module.envs",)


class ForgetsClock(Chain):
    """Saves its generator and its state, but not how long the episode has lasted."""

    def state_dict(self):
        state = super().state_dict()
        del state["elapsed"]
        return state


class SavesReference(Chain):
    """Hands out its own generator as part of the saved state."""

    def state_dict(self):
        return dict(vars(self))


class CannotBePickled(Chain):
    """Holds a function that no other process can import."""

    def __init__(self, config):
        super().__init__(config)
        self.rule = lambda: 0


class GlobalNumpy(Chain):
    """Uses numpy's global generator for its rewards."""

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            np.random.seed(seed)  # noqa: NPY002 - the fault
        return super().reset(seed=seed, options=options)

    def step(self, action):
        observation, _, terminated, truncated, info = super().step(action)
        reward = float(np.random.random() < 0.5)  # noqa: NPY002 - the fault
        return observation, reward, terminated, truncated, info

    @property
    def model(self):
        return None


class UnknownFeature(Chain):
    """Offers what nobody has declared."""

    features = frozenset({"episode"})


class EmptyPromise(Chain):
    """Says that it is a DeepSea, and has nothing of one."""

    features = frozenset({"deep_sea"})


class GlobalRandom(Chain):
    """Draws from the standard library's generator and makes no use of it."""

    def step(self, action):
        random()
        return super().step(action)


@hookimpl
def mfbpi_environments():
    """Yield one environment for each class."""
    for name, kind in globals().items():
        if (
            isinstance(kind, type)
            and issubclass(kind, Chain | Arrays)
            and kind.__module__ == __name__
        ):
            yield EnvironmentSpec(name=name.lower(), factory=f"{__name__}:{name}")
