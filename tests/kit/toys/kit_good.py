"""Plugins that keep every rule, one of each kind; those that break one are derived from them."""

import contextlib
import sys

import attrs
import numpy as np

from mfbpi_core import (
    Agent,
    AgentSpec,
    BoundSpec,
    Column,
    EnvironmentSpec,
    Executor,
    ExecutorSpec,
    ExperimentSpec,
    Metric,
    MetricSpec,
    Outcome,
    StoppingRuleSpec,
    Transition,
    Transitions,
    hookimpl,
    parameter,
)
from mfbpi_core.contracts.experiment import Choice, Experiment, RunGrid
from mfbpi_core.errors import RequirementError
from mfbpi_core.testing.worlds.doubles import OneByOne
from mfbpi_core.testing.worlds.instances import ModelEnvironment, OneHotEnvironment, two_state_chain


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of the good agent."""

    rate: float = parameter(0.2, "learning rate", gt=0, le=1)
    epsilon: float = parameter(0.5, "probability of a random action", ge=0, le=1)
    widths: tuple[int, ...] = parameter((3, 4), "unused, a tuple", ge=1)


class Chain(ModelEnvironment):
    """The two-state chain; its simulator is itself, stepped by agents that know it."""

    def __init__(self, config):
        super().__init__(two_state_chain())

    @property
    def simulator(self):
        """The environment itself."""
        return self

    @property
    def observation(self):
        """What it shows now."""
        return self.observe(self.state)


class Arrays(OneHotEnvironment):
    """The two-state chain with arrays as observations."""

    def __init__(self, config):
        super().__init__(two_state_chain())


class QLearner(Agent):
    """Q-learning with epsilon-greedy actions and a driver of its own."""

    def __init__(self, problem, config, rng):
        super().__init__(problem, config, rng)
        if problem.n_states is None:
            raise RequirementError("expected integer states")
        self.q = np.zeros((problem.n_states, problem.n_actions))  # Q[s, a]

    def select_action(self, observation):
        """Random with probability epsilon, else greedy."""
        if self.rng.random() < self.config.epsilon:
            return int(self.rng.integers(self.problem.n_actions))
        return self.recommend(observation)

    def update(self, transition):
        """One step of Q-learning; only a termination stops the bootstrap."""
        t = transition
        following = 0.0 if t.terminated else self.q[t.next_observation].max()
        target = t.reward + self.problem.discount * following
        self.q[t.observation, t.action] += self.config.rate * (
            target - self.q[t.observation, t.action]
        )

    def recommend(self, observation):
        """The greedy action."""
        return int(self.q[observation].argmax())

    @property
    def allocation(self):
        """Uniform."""
        return np.full(self.q.shape, 1.0 / self.q.size)

    def advance(self, simulator, n_steps):
        """Step in the simulator without the loop."""
        if not isinstance(simulator, Chain):
            return None
        return Transitions.from_steps(0, [self.roll(simulator) for _ in range(n_steps)])

    def roll(self, simulator):
        """One step."""
        s = simulator.state
        a = self.select_action(s)
        s2, reward, terminated, truncated, _ = simulator.step(a)
        transition = Transition(s, a, reward, s2, terminated, truncated)
        self.update(transition)
        if terminated or truncated:
            simulator.reset()
        return transition


class QReplicas(OneByOne):
    """Several of them."""

    agent_type = QLearner


class LinearQLearner(QLearner):
    """The same on arrays: Q is linear in the observation."""

    def __init__(self, problem, config, rng):
        Agent.__init__(self, problem, config, rng)
        if problem.n_states is not None:
            raise RequirementError("expected array observations")
        self.q = np.zeros((*problem.observation_shape, problem.n_actions))  # weights

    def update(self, transition):
        """One gradient step."""
        t = transition
        following = 0.0 if t.terminated else (t.next_observation @ self.q).max()
        error = t.reward + self.problem.discount * following - (t.observation @ self.q)[t.action]
        self.q[:, t.action] += self.config.rate * error * t.observation

    def recommend(self, observation):
        """The greedy action."""
        return int((observation @ self.q).argmax())

    @property
    def allocation(self):
        """None."""
        return None

    def advance(self, simulator, n_steps):
        """Not compiled: stepped by the loop."""


class Occupation(Metric):
    """The fraction of cells visited, and the mean reward."""

    def __init__(self, problem, environment, config, rng):
        super().__init__(problem, environment, config, rng)
        self.visited = np.zeros(environment.cells.count, dtype=bool)
        self.steps = 0
        self.paid = 0.0

    def observe(self, transitions):
        """Mark the cells and add the rewards."""
        self.visited[self.environment.cells.index(transitions.observations)] = True
        self.steps += len(transitions)
        self.paid += float(transitions.rewards.sum())

    def measure(self, snapshot):
        """The fraction, and the mean reward once there is one."""
        measured = {"occupation": float(self.visited.mean())}
        if self.steps:
            measured["mean_reward"] = self.paid / self.steps
        return measured

    def arrays(self):
        """The cells."""
        return {"visited": self.visited}


class Serial(Executor):
    """One task after the other."""

    def map(self, run, tasks):
        """Run each."""
        for task in tasks:
            yield self.one(run, task)

    def one(self, run, task):
        """Run one; what it prints goes to standard error."""
        try:
            with contextlib.redirect_stdout(sys.stderr):
                return run(task.to_json())
        except Exception as error:
            return Outcome(task_id=task.task_id, status="failed", error=repr(error))


def small_grid(quick):
    """An experiment: the good agent at two learning rates."""
    agents = (Choice("q", rate=(0.1, 0.2)), Choice("not_installed"))
    return Experiment(summary="small", runs=RunGrid(agents=agents, environments=(Choice("chain"),)))


def preset(problem):
    """Published settings of the good agent."""
    return {"rate": 0.1 if problem.n_states == 2 else 0.3}


OCCUPATION = (
    Column(name="occupation", low=0.0, high=1.0),
    Column(name="mean_reward", low=0.0, high=1.0),
)


@hookimpl
def mfbpi_environments():
    """Yield the environments."""
    yield EnvironmentSpec(name="chain", factory="kit_good:Chain")
    yield EnvironmentSpec(name="arrays", factory="kit_good:Arrays")


@hookimpl
def mfbpi_agents():
    """Yield the agents."""
    config = "kit_good:Config"
    yield AgentSpec(
        name="q",
        factory="kit_good:QLearner",
        config=config,
        needs={"states"},
        preset="kit_good:preset",
        replicas="kit_good:QReplicas",
    )
    yield AgentSpec(name="linear", factory="kit_good:LinearQLearner", config=config)


@hookimpl
def mfbpi_bounds():
    """Yield the bound."""
    yield BoundSpec(name="weakest_pair", factory="kit_weakest_pair:WeakestPair")


@hookimpl
def mfbpi_metrics():
    """Yield the metric."""
    yield MetricSpec(
        name="occupation",
        factory="kit_good:Occupation",
        needs={"cells", "policy"},
        columns=OCCUPATION,
    )


@hookimpl
def mfbpi_stopping_rules():
    """Yield the stopping rule."""
    yield StoppingRuleSpec(name="enough", factory="kit_visits_rule:Enough", guarantee="none")


@hookimpl
def mfbpi_executors():
    """Yield the executor."""
    yield ExecutorSpec(name="in_turn", factory="kit_good:Serial")


@hookimpl
def mfbpi_experiments():
    """Yield the experiment."""
    yield ExperimentSpec(name="kit/small", factory="kit_good:small_grid")
