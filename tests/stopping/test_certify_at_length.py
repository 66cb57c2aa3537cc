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


def collected(
    log: dict[str, np.ndarray], mdp: TabularMDP, batch: np.ndarray, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """A log, and a batch of samples of pairs: an episode each."""
    s, a = (np.repeat(each.reshape(-1), batch.reshape(-1)) for each in np.indices(batch.shape))
    after = np.concatenate(
        [
            rng.choice(mdp.n_states, p=mdp.transitions[pair], size=n)
            for pair, n in np.ndenumerate(batch)
        ]
    )
    rewards = (rng.random(len(s)) < mdp.mean_rewards[s, a]).astype(np.float64)
    ends = np.zeros(len(s), dtype=bool)
    episode = log["episode"].max() + 1 + np.arange(len(s))
    new = dict(zip(log, (s, a, rewards, after, ends, episode), strict=True))
    return {name: np.concatenate([log[name], new[name]]) for name in log}


def asked_for(
    log: dict[str, np.ndarray], mdp: TabularMDP, discount: float, rng: np.random.Generator
) -> int:
    """Further samples, batch by batch as they are asked for, until a policy is identified."""
    n = len(log["s"])
    for _ in range(30):
        found = mfbpi.certify(
            log,
            n_states=mdp.n_states,
            n_actions=mdp.n_actions,
            discount=discount,
            may_end=False,
        )
        if found.identified:
            return len(log["s"]) - n
        log = collected(log, mdp, found.batch, rng)
    raise AssertionError("no policy was identified")


def gain(name: str, steps: int, seed: int) -> float:
    """How many times more samples are needed uniformly than by the batches that are asked for."""
    mdp, discount = model_of(LARGER[name])
    s, a, r, after, _ = walked(mdp, discount, "uniform", steps, seed)
    counts = np.zeros((mdp.n_states, mdp.n_actions, mdp.n_states), dtype=np.int64)
    paid = np.zeros(counts.shape[:2])
    np.add.at(counts, (s, a, after), 1)
    np.add.at(paid, (s, a), r)
    log = {
        "s": s,
        "a": a,
        "r": r,
        "s'": after,
        "terminated": np.zeros(len(s), dtype=bool),
        "episode": np.zeros(len(s), dtype=np.int64),
    }
    rng = np.random.default_rng(seed)
    even = np.full(counts.shape[:2], 1.0 / counts[..., 0].size)
    uniform = needed(mdp, discount, counts, paid, even, rng)
    return uniform / asked_for(log, mdp, discount, rng)


@pytest.mark.parametrize(("name", "steps"), [("riverswim", 20_000), ("garnet", 5_000)])
def test_what_is_asked_for_is_worth_twice_as_much(name, steps):
    """Uniform samples of all pairs take at least twice as many."""
    assert gain(name, steps, 0) >= 2.0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "steps"), [("riverswim", 20_000), ("garnet", 5_000)])
def test_what_is_asked_for_is_worth_twice_as_much_at_length(name, steps):
    """The median of ten other seeds."""
    assert np.median([gain(name, steps, seed) for seed in range(100, 110)]) >= 2.0
