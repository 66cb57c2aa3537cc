"""One Q-network learnt as others do, on Cartpole with the sizes of our ensembles.

Two hidden layers of 50 units, batches of 128, one update a step, target copies every 4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mfbpi_core import Environment

HIDDEN, BATCH, CAPACITY, TARGET_PERIOD, RATE, DISCOUNT = 50, 128, 100_000, 4, 5e-4, 0.99
EXPLORATION = 0.05

#: What a loop is, for the functions that time it: it takes that many steps.
Steps = Callable[[int], object]


class Network:
    """A Q-network with its target and its optimiser.

    Args:
        size: of an observation.
        n_actions: outputs.
    """

    def __init__(self, size: int, n_actions: int) -> None:
        self.online, self.target = (
            torch.nn.Sequential(
                torch.nn.Linear(size, HIDDEN),
                torch.nn.ReLU(),
                torch.nn.Linear(HIDDEN, HIDDEN),
                torch.nn.ReLU(),
                torch.nn.Linear(HIDDEN, n_actions),
            )
            for _ in range(2)
        )
        self.optimiser = torch.optim.Adam(self.online.parameters(), lr=RATE)

    def learn(
        self,
        now: torch.Tensor,
        actions: torch.Tensor,
        rewards: torch.Tensor,
        goes_on: torch.Tensor,
        following: torch.Tensor,
    ) -> None:
        """One step of Adam on a batch; ``actions`` is a column, as ``gather`` takes it."""
        with torch.no_grad():
            goal = rewards + DISCOUNT * goes_on * self.target(following).amax(1)
        value = self.online(now).gather(1, actions)[:, 0]
        loss = torch.nn.functional.mse_loss(value, goal)
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()

    def copy(self) -> None:
        """The target takes over what is online."""
        self.target.load_state_dict(self.online.state_dict())


class Loop:
    """Acts, stores and learns, one update a step.

    Args:
        size: of an observation.
        n_actions: actions.
    """

    def __init__(self, size: int, n_actions: int) -> None:
        self.network = Network(size, n_actions)
        self.rng = np.random.default_rng(0)
        self.taken = 0

    def steps(self, n: int) -> None:
        """That many more, with an update each once a batch is stored."""
        for _ in range(n):
            self._act()
            self.taken += 1
            if self.taken >= BATCH:
                self._learn()
                if self.taken % TARGET_PERIOD == 0:
                    self.network.copy()

    def _act(self) -> None:
        raise NotImplementedError

    def _learn(self) -> None:
        raise NotImplementedError


class PlainDQN(Loop):
    """The shortest loop: our environment itself, and a replay buffer of numpy arrays.

    Args:
        environment: where it acts.
    """

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        size, self.n_actions = environment.observation_shape[0], environment.n_actions
        super().__init__(size, self.n_actions)
        self.seen = np.zeros((2, CAPACITY, size), dtype=np.float32)
        self.actions = np.zeros((CAPACITY, 1), dtype=np.int64)
        self.rewards, self.goes_on = np.zeros((2, CAPACITY), dtype=np.float32)
        self.observation, _ = environment.reset(seed=0)

    def _act(self) -> None:
        with torch.no_grad():
            values = self.network.online(torch.from_numpy(np.asarray(self.observation)))
        action = int(values.argmax())
        if self.rng.random() < EXPLORATION:
            action = int(self.rng.integers(self.n_actions))
        following, reward, terminated, truncated, _ = self.environment.step(action)
        place = self.taken % CAPACITY
        self.seen[0, place], self.seen[1, place] = self.observation, following
        self.actions[place], self.rewards[place] = action, reward
        self.goes_on[place] = not terminated
        ended = terminated or truncated
        self.observation = self.environment.reset()[0] if ended else following

    def _learn(self) -> None:
        places = self.rng.integers(min(self.taken, CAPACITY), size=BATCH)
        columns = (self.seen[0], self.actions, self.rewards, self.goes_on, self.seen[1])
        self.network.learn(*(torch.from_numpy(column[places]) for column in columns))


class VectorDQN(Loop):
    """A loop with the parts that CleanRL's DQN is made of.

    A vector of one Gymnasium environment with statistics of episodes, and the replay buffer of
    Stable-Baselines3.
    """

    def __init__(self) -> None:
        from gymnasium.vector import AutoresetMode, SyncVectorEnv
        from stable_baselines3.common.buffers import ReplayBuffer

        self.environments = SyncVectorEnv(
            [_recorded], copy=True, autoreset_mode=AutoresetMode.SAME_STEP
        )
        seen: Any = self.environments.single_observation_space
        self.space: Any = self.environments.single_action_space
        super().__init__(seen.shape[0], int(self.space.n))
        self.space.seed(0)
        self.buffer = ReplayBuffer(
            CAPACITY, seen, self.space, "cpu", handle_timeout_termination=False
        )
        self.observations, _ = self.environments.reset(seed=0)

    def _act(self) -> None:
        if self.rng.random() < EXPLORATION:
            actions = np.array([self.space.sample()])
        else:
            values = self.network.online(torch.as_tensor(self.observations))
            actions = torch.argmax(values, dim=1).numpy()
        following, rewards, terminated, truncated, infos = self.environments.step(actions)
        stored = following.copy()
        for place in np.flatnonzero(terminated | truncated):
            stored[place] = infos["final_obs"][place]
        self.buffer.add(self.observations, stored, actions, rewards, terminated, [infos])
        self.observations = following

    def _learn(self) -> None:
        batch = self.buffer.sample(BATCH)
        goes_on, rewards = 1 - batch.dones.flatten(), batch.rewards.flatten()
        self.network.learn(
            batch.observations, batch.actions, rewards, goes_on, batch.next_observations
        )


def _made() -> Any:
    import gymnasium

    import mfbpi.gymnasium  # noqa: F401 - registers our environments

    return gymnasium.make("mfbpi/CartpoleSwingup-v0")


def _recorded() -> Any:
    from gymnasium.wrappers import RecordEpisodeStatistics

    return RecordEpisodeStatistics(_made())


def stable_baselines() -> Steps:
    """Stable-Baselines3's own DQN."""
    from stable_baselines3 import DQN

    model: Any = DQN(
        "MlpPolicy",
        _made(),
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


def loops(environment: Environment) -> dict[str, Callable[[], Steps]]:
    """What makes each loop, by its name; ImportError where the packages of one are missing."""
    return {
        "Stable-Baselines3's DQN": stable_baselines,
        "a loop of CleanRL's parts": lambda: VectorDQN().steps,
        "the shortest torch loop": lambda: PlainDQN(environment).steps,
    }
