"""No model of a box violates what is said about all of them, extreme ones included."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from mfbpi_lib_confidence.box import Box
from mfbpi_lib_confidence.envelopes import Side
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import Evaluation, evaluate
from mfbpi_lib_tabular.solution.planning import solve_arrays

TOLERANCE = 1e-9


@attrs.frozen(kw_only=True, eq=False)
class Case:
    """Counts, the discount, and the rewards by outcome where these are known."""

    evidence: Evidence
    discount: float
    prices: np.ndarray | None  # [S, A, K]


def random_case(rng: np.random.Generator) -> Case:
    """Few or many visits, maybe terminal states, endings, known rewards, or another range."""
    n_states, n_actions = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    may_end = bool(rng.random() < 0.3)
    n_outcomes = n_states + may_end
    terminal = (np.arange(n_states) > 0) & (rng.random(n_states) < 0.15)
    scale = 10.0 ** rng.uniform(0.0, 5.0)
    visits = rng.poisson(scale * rng.random((n_states, n_actions)))  # some are 0
    visits[terminal] = 0
    law = rng.dirichlet(np.full(n_outcomes, rng.choice([0.1, 1.0])), size=visits.shape)
    counts = np.array(
        [
            [rng.multinomial(visits[s, a], law[s, a]) for a in range(n_actions)]
            for s in range(n_states)
        ]
    )
    low, high = [(0.0, 1.0), (-3.0, -1.0), (-2.0, 5.0), (1.0, 4.0)][int(rng.integers(4))]
    prices = None
    if rng.random() < 0.3:
        prices = rng.uniform(low, high, size=law.shape)
        rewards = prices * counts
    else:
        mean = rng.random(visits.shape) * (rng.random(visits.shape) < 0.8)
        rewards = low * visits + (high - low) * rng.binomial(visits, mean)
    evidence = Evidence.from_dense(
        counts[:, :, :n_states],
        rewards,
        terminal=terminal,
        endings=counts[:, :, n_states] if may_end else None,
        reward_range=(low, high),
        reward_law="any" if prices is None else "deterministic",
    )
    return Case(evidence=evidence, discount=float(rng.choice([0.5, 0.9, 0.99])), prices=prices)


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    """KL(p, q)."""
    seen = p > 0
    with np.errstate(divide="ignore"):
        return float((p[seen] * np.log(p[seen] / q[seen])).sum())


def inside(p: np.ndarray, q: np.ndarray, radius: float) -> np.ndarray:
    """The point of the segment from p to q that is farthest from p and still in the ball."""
    if radius == np.inf or divergence(p, q) <= radius:
        return q
    low, high = 0.0, 1.0
    for _ in range(60):
        share = 0.5 * (low + high)
        if divergence(p, (1 - share) * p + share * q) <= radius:
            low = share
        else:
            high = share
    return (1 - low) * p + low * q


def random_laws(box: Box, rng: np.random.Generator) -> np.ndarray:
    """A law of the ball of each pair, [S A, K]: inside, on its boundary, towards one outcome."""
    evidence = box.evidence
    laws = np.zeros((evidence.n_pairs, evidence.n_outcomes))
    for j in range(evidence.n_pairs):
        row = slice(evidence.starts[j], evidence.starts[j + 1])
        p = np.zeros(evidence.n_outcomes)
        p[evidence.outcomes[row]] = box.weights[row]
        q = np.eye(len(p))[rng.integers(len(p))]
        if rng.random() < 0.5:
            q = rng.dirichlet(np.full(len(p), rng.choice([0.05, 1.0])))
        far = inside(p, q, box.radii[j]) if p.any() else q
        share = 1.0 if rng.random() < 0.7 or not p.any() else rng.random()
        laws[j] = (1 - share) * p + share * far
    return laws


def extreme_laws(box: Box, discount: float, rng: np.random.Generator) -> np.ndarray:
    """The laws that are best, or worst, for random values; [S A, K]."""
    side = Side(box=box, discount=discount, sign=float(rng.choice([-1.0, 1.0])))
    values = rng.random(box.evidence.n_states) * rng.choice([1.0, 10.0]) - 0.5
    laws = np.zeros((box.evidence.n_pairs, box.evidence.n_outcomes))
    laws[:, 0] = 1.0
    laws[side.pairs] = side.model(values, side.pairs, known=False)[0]
    return laws


def random_model(case: Case, box: Box, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Transitions [S, A, S], short by endings, and mean rewards [S, A], of a model of the box."""
    evidence = case.evidence
    extreme = rng.random() < 0.5
    laws = extreme_laws(box, case.discount, rng) if extreme else random_laws(box, rng)
    shape = (evidence.n_states, evidence.n_actions)
    if case.prices is not None:
        low, high = evidence.reward_range
        prices = np.full((evidence.n_pairs, evidence.n_outcomes), rng.choice([low, high]))
        prices[evidence.rows, evidence.outcomes] = box.known  # the others may be anything
        rewards = (laws * prices).sum(axis=1)
    else:
        share = (
            rng.random(evidence.n_pairs)
            if rng.random() < 0.5
            else rng.integers(0, 2, evidence.n_pairs)
        )
        rewards = box.rewards_low + share * (box.rewards_high - box.rewards_low)
    laws[~evidence.live] = 0.0
    rewards = np.where(evidence.live, rewards, 0.0)
    return laws[:, : evidence.n_states].reshape(*shape, -1), rewards.reshape(shape)


def violation(found: Evaluation, discount: float, model: tuple[np.ndarray, np.ndarray]) -> float:
    """By how much a model violates any of the bounds, relative to the range of values."""
    transitions, rewards = model
    n_states = len(rewards)
    states = np.arange(n_states)
    optimal = solve_arrays(
        transitions, rewards, discount, np.zeros(n_states, dtype=np.int64)
    ).values
    chosen = np.eye(n_states) - discount * transitions[states, found.policy]
    values = np.linalg.solve(chosen, rewards[states, found.policy])
    advantages = rewards + discount * transitions @ values - values[:, None]
    alive = ~found.box.evidence.terminal
    low, high = found.box.evidence.value_range
    excess = [
        optimal - found.values_upper,
        found.values_lower - values,
        values - found.policy_upper,
        optimal - values - found.regret,
        optimal - values - found.gap,
        (advantages + found.margin)[alive].reshape(-1),
    ]
    return max(float(e.max(initial=0.0)) for e in excess) * (1 - discount) / (high - low)


def worst(seed: int, n_boxes: int, n_models: int) -> float:
    """The largest violation over random models of random boxes."""
    rng = np.random.default_rng(seed)
    largest = 0.0
    for _ in range(n_boxes):
        case = random_case(rng)
        found = evaluate(
            case.evidence, discount=case.discount, delta=float(rng.choice([0.5, 0.1, 1e-6]))
        )
        for _ in range(n_models):
            model = random_model(case, found.box, rng)
            largest = max(largest, violation(found, case.discount, model))
    return largest


@pytest.mark.parametrize("seed", range(4))
def test_no_model_violates_a_bound(seed):
    """600 models in all: values, regret, gap and advantages hold up to rounding."""
    assert worst(seed, 15, 10) <= TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_no_model_violates_a_bound_at_length(seed):
    """10,000 models."""
    assert worst(seed, 100, 10) <= TOLERANCE


@pytest.mark.parametrize("seed", range(10))
def test_values_are_attained(seed):
    """The model that nature answers with has the values that the envelope says: it is tight."""
    case = random_case(np.random.default_rng(seed))
    found = evaluate(case.evidence, discount=case.discount)
    side = Side(box=found.box, discount=case.discount, sign=1.0)
    backed = np.full(case.evidence.n_pairs, -np.inf)
    backed[side.pairs] = side.backup(found.values_upper, side.pairs, side.rewards)
    alive = ~case.evidence.terminal
    attained = backed.reshape(-1, case.evidence.n_actions).max(axis=1)
    scale = (1.0 + np.abs(found.values_upper).max()) / (1 - case.discount)

    np.testing.assert_allclose(attained[alive], found.values_upper[alive], atol=1e-9 * scale)
    assert (attained[alive] <= found.values_upper[alive] + 1e-12 * scale).all()


@pytest.mark.parametrize("seed", range(10))
def test_laws_attain_the_bounds(seed):
    """The law behind each backup is one of the ball, and has the mean that the bound says."""
    rng = np.random.default_rng(seed)
    case = random_case(rng)
    found = evaluate(case.evidence, discount=case.discount)
    values = rng.random(case.evidence.n_states)
    for sign in (-1.0, 1.0):
        side = Side(box=found.box, discount=1.0, sign=sign)
        bounds = side.backup(values, side.pairs, np.zeros(case.evidence.n_pairs), known=False)
        laws, _ = side.model(values, side.pairs, known=False)

        np.testing.assert_allclose(laws.sum(axis=1), 1.0, atol=1e-12)
        np.testing.assert_allclose(laws @ side.extend(values), bounds, atol=1e-11)
        for j, law in zip(side.pairs, laws, strict=True):
            row = slice(case.evidence.starts[j], case.evidence.starts[j + 1])
            p = np.zeros(case.evidence.n_outcomes)
            p[case.evidence.outcomes[row]] = found.box.weights[row]
            assert divergence(p, law) <= found.box.radii[j] * (1 + 1e-8) + 1e-12


def test_few_policies_are_evaluated(monkeypatch):
    """Policy iteration over actions and laws ends after a handful, not at its cap."""
    from mfbpi_lib_confidence import envelopes

    counted = []
    evaluated = envelopes._evaluated
    monkeypatch.setattr(
        envelopes, "_evaluated", lambda *a, **k: counted.append(1) or evaluated(*a, **k)
    )
    rng = np.random.default_rng(0)
    for _ in range(20):
        case = random_case(rng)
        evaluate(case.evidence, discount=case.discount)

    assert len(counted) / 80 <= 8
