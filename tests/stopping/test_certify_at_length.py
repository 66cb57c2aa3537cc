"""``mfbpi certify`` on many logs, and what the samples that it asks for are worth.

``pytest -m slow tests/stopping/test_certify_at_length.py`` runs all of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mfbpi
from mfbpi_core import Interaction, PluginRef, Problem, Registry, TabularMDP
from mfbpi_core.plugins import assembly
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import evaluate
from mfbpi_lib_statistics.proportions import clopper_pearson
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.solution import planning

DELTA = 0.1

#: Agents that take turns within one log.
AGENTS = ("uniform", "fw_bpi", "psrl", "q_learning", "mf_bpi", "mdp_nas")

#: Environment, its parameters and discount.
INSTANCES: dict[str, tuple[str, dict[str, Any], float]] = {
    "riverswim": ("riverswim", {"n_states": 3}, 0.9),
    "garnet": ("garnet", {"n_states": 4, "n_actions": 2, "branching": 2, "mdp_seed": 6}, 0.8),
    "two states": ("two_states", {}, 0.9),
    "near-tie": ("ring_of_three", {"gap": 1e-5}, 0.9),
}

#: Those on which samples are asked for.
LARGER: dict[str, tuple[str, dict[str, Any], float]] = {
    "riverswim": ("riverswim", {"n_states": 5}, 0.95),
    "garnet": ("garnet", {"n_states": 6, "n_actions": 3, "branching": 3, "mdp_seed": 6}, 0.9),
}

COLUMNS = ("observations", "actions", "rewards", "next_observations", "terminated")


def model_of(instance: tuple[str, dict[str, Any], float]) -> tuple[TabularMDP, float]:
    """The model of an instance, and its discount."""
    environment, parameters, discount = instance
    made = mfbpi.make_environment(mfbpi.environment(environment, **parameters))
    assert isinstance(made.model, TabularMDP)
    return made.model, discount


def walked(mdp: TabularMDP, discount: float, agent: str, steps: int, seed: int) -> list[np.ndarray]:
    """What an agent collects, as columns."""
    registry, ref = Registry.discover(), PluginRef(name=agent)
    problem = Problem(
        n_states=mdp.n_states,
        n_actions=mdp.n_actions,
        discount=discount,
        horizon=steps,
        reward_range=mdp.reward_range,
    )
    part = assembly.find(registry, "agent", ref)
    built = assembly.agent(registry, part, problem, np.random.default_rng(seed))
    chunk = Interaction(TabularEnvironment(mdp), built, seed + 1).advance(steps)
    return [np.asarray(getattr(chunk, name)) for name in COLUMNS]


def mixed_log(mdp: TabularMDP, discount: float, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Three agents, one after the other, for a random number of steps each."""
    names = rng.choice(AGENTS, size=3, replace=False)
    parts = [
        walked(mdp, discount, str(name), int(10 ** rng.uniform(3.0, 4.3)), int(rng.integers(2**31)))
        for name in names
    ]
    columns = [np.concatenate(each) for each in zip(*parts, strict=True)]
    episode = np.repeat(np.arange(3), [len(part[0]) for part in parts])
    keys = ("s", "a", "r", "s'", "terminated")
    return {**dict(zip(keys, columns, strict=True)), "episode": episode}


def judged(n_logs: int, seed: int) -> tuple[int, int]:
    """How many logs identify a policy, and how many of these a wrong one."""
    rng = np.random.default_rng(seed)
    identified = wrong = 0
    for i in range(n_logs):
        mdp, discount = model_of(tuple(INSTANCES.values())[i % len(INSTANCES)])
        found = mfbpi.certify(
            mixed_log(mdp, discount, rng),
            n_states=mdp.n_states,
            n_actions=mdp.n_actions,
            discount=discount,
            delta=DELTA,
            may_end=False,
            ask=False,
        )
        if found.identified:
            identified += 1
            plan = planning.solve(mdp, discount)
            loss = plan.values - planning.evaluate_policy(mdp, found.policy, discount)
            wrong += bool(loss.max() > 1e-9 * np.abs(plan.values).max())
    return identified, wrong


@pytest.mark.filterwarnings("ignore::mfbpi.MfbpiWarning")
def test_logs_of_several_agents_identify_no_wrong_policy():
    """Eight logs of three agents each, two of every instance."""
    identified, wrong = judged(8, seed=1)

    assert identified >= 1
    assert wrong == 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::mfbpi.MfbpiWarning")
def test_200_logs_identify_no_more_wrong_policies_than_delta():
    """Over all logs, near-ties among them: the upper end of the interval is at most delta."""
    identified, wrong = judged(200, seed=2024)

    assert identified >= 50
    assert clopper_pearson(wrong, 200)[1] <= DELTA


def needed(
    mdp: TabularMDP,
    discount: float,
    counts: np.ndarray,
    paid: np.ndarray,
    share: np.ndarray,
    rng: np.random.Generator,
) -> int:
    """Further samples until a policy is identified, 2 % more at a time, split as ``share`` says."""
    counts, paid, total = counts.copy(), paid.copy(), 0
    while not evaluate(Evidence.from_dense(counts, paid), discount=discount).identified:
        n = np.ceil(share * max(20.0, 0.02 * counts.sum())).astype(np.int64)
        new = rng.multinomial(n, mdp.transitions)
        counts, paid = counts + new, paid + rng.binomial(n, mdp.mean_rewards)
        total += int(n.sum())
        assert total < 10**8
    return total


def gain(name: str, steps: int, seed: int) -> float:
    """How many times more samples are needed uniformly than where they are asked for."""
    mdp, discount = model_of(LARGER[name])
    s, a, r, after, _ = walked(mdp, discount, "uniform", steps, seed)
    counts = np.zeros((mdp.n_states, mdp.n_actions, mdp.n_states), dtype=np.int64)
    paid = np.zeros(counts.shape[:2])
    np.add.at(counts, (s, a, after), 1)
    np.add.at(paid, (s, a), r)
    found = mfbpi.certify(
        {"s": s, "a": a, "r": r, "s'": after, "terminated": np.zeros(len(s), dtype=bool)},
        n_states=mdp.n_states,
        n_actions=mdp.n_actions,
        discount=discount,
        may_end=False,
    )
    assert not found.identified
    assert found.more.any()  # where to begin, if not yet how many are enough
    asked = found.more / found.more.sum()
    even = np.full(asked.shape, 1.0 / asked.size)
    rng = np.random.default_rng(seed)
    spent = [needed(mdp, discount, counts, paid, share, rng) for share in (even, asked)]
    return spent[0] / spent[1]


@pytest.mark.parametrize(("name", "steps"), [("riverswim", 20_000), ("garnet", 5_000)])
def test_what_is_asked_for_is_worth_twice_as_much(name, steps):
    """Uniform samples of all pairs take at least twice as many, for each of two seeds."""
    assert min(gain(name, steps, seed) for seed in range(2)) >= 2.0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "steps"), [("riverswim", 20_000), ("garnet", 5_000)])
def test_what_is_asked_for_is_worth_twice_as_much_at_length(name, steps):
    """The median of ten other seeds."""
    assert np.median([gain(name, steps, seed) for seed in range(100, 110)]) >= 2.0
