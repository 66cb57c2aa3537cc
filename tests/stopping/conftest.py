"""Walks of real agents through instances, as evidence."""

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

from mfbpi_core import Interaction, PluginRef, Problem, Registry, TabularMDP
from mfbpi_core.plugins import assembly
from mfbpi_core.running.stopping import first_check, next_check
from mfbpi_lib_certificates.certificate import Certificate
from mfbpi_lib_confidence.betting import evaluation as betting
from mfbpi_lib_confidence.betting import proved
from mfbpi_lib_confidence.betting.epoch import Epoch
from mfbpi_lib_confidence.certified import Question, certificate
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import Evaluation, evaluate
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.testing import frozen_lake, riverswim


@attrs.frozen(kw_only=True, eq=False)
class Walked:
    """What a walk gave."""

    evidence: Evidence
    start: np.ndarray
    found: Evaluation


INSTANCES: dict[str, tuple[Callable[[], TabularMDP], float]] = {
    "riverswim3": (lambda: riverswim(3), 0.9),
    "riverswim5": (lambda: riverswim(5), 0.95),
    "lake": (lambda: frozen_lake(["SF", "HG"]), 0.9),
}


class Walk:
    """A walk that can be continued, and what was counted on it."""

    def __init__(self, name: str, agent: str, seed: int) -> None:
        build, self.discount = INSTANCES[name]
        mdp = build()
        problem = Problem(
            n_states=mdp.n_states,
            n_actions=mdp.n_actions,
            discount=self.discount,
            horizon=1_000_000,
            reward_range=mdp.reward_range,
        )
        ref, rng = PluginRef(name=agent), np.random.default_rng(seed)
        registry = Registry.discover()
        part = assembly.find(registry, "agent", ref)
        built = assembly.agent(registry, part, problem, rng)
        self.interaction = Interaction(TabularEnvironment(mdp), built, seed + 1)
        self.terminal = mdp.terminal
        self.reward_range = mdp.reward_range
        shape = (mdp.n_states, mdp.n_actions, mdp.n_states)
        self.counts, self.rewards = np.zeros(shape, dtype=np.int64), np.zeros(shape)
        self.start, self.begins = np.zeros(mdp.n_states, dtype=np.int64), True

    def go_on(self, n_steps: int) -> None:
        """Take and count some steps."""
        chunk = self.interaction.advance(n_steps)
        s, a, s2 = chunk.observations, chunk.actions, chunk.next_observations
        np.add.at(self.counts, (s, a, s2), 1)
        np.add.at(self.rewards, (s, a, s2), chunk.rewards)
        ends = chunk.terminated | chunk.truncated
        begins = np.concatenate([[self.begins], ends[:-1]])
        np.add.at(self.start, s[begins], 1)
        self.begins = bool(ends[-1])

    def evidence(self) -> Evidence:
        """What was counted so far."""
        return Evidence.from_dense(
            self.counts, self.rewards, terminal=self.terminal, reward_range=self.reward_range
        )


def _walked(
    name: str, agent: str, seed: int, *, cap: int = 400_000, epsilon: float = 0.0
) -> Walked:
    walk = Walk(name, agent, seed)
    step = first_check(*walk.counts.shape[:2])
    while True:
        walk.go_on(step - walk.interaction.step)
        found = evaluate(walk.evidence(), discount=walk.discount, epsilon=epsilon)
        if found.identified or next_check(step) > cap:
            return Walked(evidence=found.box.evidence, start=walk.start.copy(), found=found)
        step = next_check(step)


def _bet(name: str, agent: str, seed: int, *, epsilon: float = 0.0) -> Certificate:
    """The certificate by bets of a walk until identified."""
    walk = Walk(name, agent, seed)
    epochs: tuple[Epoch, ...] = ()
    step = first_check(*walk.counts.shape[:2])
    while True:
        walk.go_on(step - walk.interaction.step)
        evidence, discount = walk.evidence(), walk.discount
        found, used = betting.evaluate(evidence, epochs, discount=discount, epsilon=epsilon)
        if found.identified:
            asked = _question(walk.start.copy(), discount, rule="betting", epsilon=epsilon)
            return proved.certificate(found, used, asked)
        epochs = betting.continued(epochs, evidence, step, discount=discount, delta=0.1)
        step = next_check(step)


@pytest.fixture(scope="session")
def bets() -> dict[str, Certificate]:
    """Certificates by bets: exact, up to epsilon, and with terminal states."""
    return {
        "riverswim3, fw_bpi": _bet("riverswim3", "fw_bpi", 11),
        "riverswim3, uniform": _bet("riverswim3", "uniform", 12),
        "riverswim5, fw_bpi": _bet("riverswim5", "fw_bpi", 11),
        "lake, fw_bpi": _bet("lake", "fw_bpi", 11),
        "lake, uniform": _bet("lake", "uniform", 11),
        "close": _bet("riverswim3", "uniform", 12, epsilon=1.0),
    }


@pytest.fixture(scope="session")
def walked() -> Callable[..., Walked]:
    """A function that walks until identified, or a cap: instance, agent, seed."""
    return _walked


@pytest.fixture(scope="session")
def walk() -> Callable[..., Walk]:
    """A function that begins a walk: instance, agent, seed."""
    return Walk


def _question(start: np.ndarray, discount: float, **more: Any) -> Question:
    """What was asked, with defaults."""
    return Question(
        **{"delta": 0.1, "epsilon": 0.0, "scope": "all", "version": "0", **more},
        discount=discount,
        start=start,
    )


@pytest.fixture(scope="session")
def certificates(walked: Callable[..., Walked]) -> dict[str, Certificate]:
    """Certificates of walks: exact, up to epsilon, with terminal states, and of a gap alone."""
    found = {}
    for name, discount in (("riverswim3", 0.9), ("riverswim5", 0.95), ("lake", 0.9)):
        for agent in ("uniform", "fw_bpi"):
            walk = walked(name, agent, seed=11)
            made = certificate(walk.found, _question(walk.start, discount))
            found[f"{name}, {agent}"] = made
    close = walked("riverswim3", "uniform", seed=12, epsilon=1.0)
    found["close"] = certificate(close.found, _question(close.start, 0.9, epsilon=1.0))
    early = walked("riverswim5", "uniform", seed=13, cap=20_000)
    found["early"] = certificate(early.found, _question(early.start, 0.95))
    return found


@pytest.fixture(scope="session")
def question() -> Callable[..., Question]:
    """A function that makes a question: beginnings, discount, and what differs from defaults."""
    return _question
