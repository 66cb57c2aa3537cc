"""What one Q-network costs elsewhere, beside our ensembles, on Cartpole with the same sizes.

One network is that of Stable-Baselines3's DQN, and that of a short loop as tutorials write it: two
hidden layers of 50 units, batches of 128, one update a step, target copies every 4.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from mfbpi_core import Environment

HIDDEN, BATCH, CAPACITY, TARGET_PERIOD, RATE, DISCOUNT = 50, 128, 100_000, 4, 5e-4, 0.99

#: Steps before the first round, steps of a round, and rounds.
WARM_UP, STEPS, ROUNDS = 1000, 200, 5


class PlainDQN:
    """One network by autograd, with a replay buffer of numpy arrays.

    Args:
        environment: where it acts.
    """

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        size, self.n_actions = environment.observation_shape[0], environment.n_actions
        self.online, self.target = (self._network(size) for _ in range(2))
        self.optimiser = torch.optim.Adam(self.online.parameters(), lr=RATE)
        self.rng = np.random.default_rng(0)
        self.seen = np.zeros((2, CAPACITY, size), dtype=np.float32)
        self.actions = np.zeros(CAPACITY, dtype=np.int64)
        self.rewards, self.goes_on = np.zeros((2, CAPACITY), dtype=np.float32)
        self.observation, _ = environment.reset(seed=0)
        self.taken = 0

    def _network(self, size: int) -> torch.nn.Sequential:
        first, second = torch.nn.Linear(size, HIDDEN), torch.nn.Linear(HIDDEN, HIDDEN)
        last = torch.nn.Linear(HIDDEN, self.n_actions)
        return torch.nn.Sequential(first, torch.nn.ReLU(), second, torch.nn.ReLU(), last)

    def steps(self, n: int) -> None:
        """Act, store and learn."""
        for _ in range(n):
            self._act()
            if self.taken >= BATCH:
                self._learn()

    def _act(self) -> None:
        with torch.no_grad():
            action = int(self.online(torch.from_numpy(np.asarray(self.observation))).argmax())
        if self.rng.random() < 0.05:
            action = int(self.rng.integers(self.n_actions))
        following, reward, terminated, truncated, _ = self.environment.step(action)
        place = self.taken % CAPACITY
        self.seen[0, place], self.seen[1, place] = self.observation, following
        self.actions[place], self.rewards[place] = action, reward
        self.goes_on[place] = not terminated
        self.taken += 1
        ended = terminated or truncated
        self.observation = self.environment.reset()[0] if ended else following

    def _learn(self) -> None:
        places = self.rng.integers(min(self.taken, CAPACITY), size=BATCH)
        now, following, rewards, goes_on, actions = (
            torch.from_numpy(column[places])
            for column in (*self.seen, self.rewards, self.goes_on, self.actions)
        )
        with torch.no_grad():
            goal = rewards + DISCOUNT * goes_on * self.target(following).amax(1)
        value = self.online(now).gather(1, actions[:, None])[:, 0]
        loss = torch.nn.functional.mse_loss(value, goal)
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        if self.taken % TARGET_PERIOD == 0:
            self.target.load_state_dict(self.online.state_dict())


def stable_baselines() -> Callable[[int], object] | None:
    """A function that takes steps of Stable-Baselines3's DQN; None where it is not installed."""
    try:
        import gymnasium
        from stable_baselines3 import DQN

        import mfbpi.gymnasium  # noqa: F401 - registers our environments
    except ImportError:
        return None
    model: Any = DQN(
        "MlpPolicy",
        gymnasium.make("mfbpi/CartpoleSwingup-v0"),
        policy_kwargs={"net_arch": [HIDDEN, HIDDEN]},
        learning_rate=RATE,
        buffer_size=CAPACITY,
        learning_starts=BATCH,
        batch_size=BATCH,
        train_freq=1,
        gradient_steps=1,
        target_update_interval=TARGET_PERIOD,
        gamma=DISCOUNT,
        seed=0,
        device="cpu",
    )
    return lambda n: model.learn(n, reset_num_timesteps=False)


def rows(ours: Callable[[int], object], networks: int, environment: Environment) -> Iterator[str]:
    """Whole steps with the environment's own, in turn; ``ours`` takes that many steps."""
    others = {"Stable-Baselines3's DQN": stable_baselines()}
    others["a plain torch loop"] = PlainDQN(environment).steps
    for name, other in others.items():
        if other is None:
            yield f"{name} is not installed: no comparison"
            continue
        mine, theirs = _medians(ours, other)
        yield (
            f"dbmf_bpi, cartpole_swingup: {networks} networks {mine:.2f} ms/step with the "
            f"environment; {name}: one network {theirs:.2f}, ratio {theirs / mine:.2f} (target 1)"
        )


def _medians(ours: Callable[[int], object], other: Callable[[int], object]) -> tuple[float, float]:
    """Processor milliseconds of a step of both, rounds in turn."""
    ours(WARM_UP)
    other(WARM_UP)
    pairs = [(_of_a_step(ours), _of_a_step(other)) for _ in range(ROUNDS)]
    first, second = (statistics.median(each) for each in zip(*pairs, strict=True))
    return first, second


def _of_a_step(steps: Callable[[int], object]) -> float:
    started = time.process_time()
    steps(STEPS)
    return (time.process_time() - started) / STEPS * 1e3


#: A process that goes as far as its first update, with the first full batch, and says what
#: processor time that took: unlike a clock, it hardly depends on what else runs.
FIRST_UPDATE = f"""
import sys, time
from tests.bench.timed_agents import Timed, environment_of
Timed(sys.argv[1], [environment_of(sys.argv[2])], sys.argv[2]).steps({BATCH})
print(time.process_time())
"""


def second_start(agent: str, environment: str) -> float:
    """Processor seconds, imports included, of a process that finds its code compiled."""
    command = [sys.executable, "-c", FIRST_UPDATE, agent, environment]
    runs = [subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(2)]
    return float(runs[-1].stdout)
