from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mfbpi_core import (
    Bound,
    BoundSolution,
    Constraint,
    Problem,
    Registry,
    TabularMDP,
    Transition,
    Transitions,
)
from mfbpi_core.errors import NotFoundError, RequirementError
from mfbpi_core.plugins import assembly
from mfbpi_lib_tabular.testing import Scene, advised, riverswim
from mfbpi_metric_allocation import metric as module
from mfbpi_metric_allocation.metric import AllocationDistance, Config

DISCOUNT = 0.5
UNIFORM = np.full((2, 2), 0.25)

#: omega* of :func:`stay_or_swap` among walks, times the sum of its entries.
SAMPLES = np.array([[6.0 * 6.0**0.5, 36.0], [36.0, 36.0]])


def stay_or_swap() -> TabularMDP:
    """Two states; action 0 stays, action 1 goes to the other one; staying in state 1 pays 1.

    At discount 1/2, V* = 1, 2. Staying in state 0 has the gap 1/2, swapping in state 1 the gap
    3/2, and nothing is random. So h = 2 / gap^2 is 8 and 8/9, d = 1 / gap^2 is 4 and 4/9, and
    c = 4 (1.5 / 0.5)^2 = 36. A walk swaps in state 0 as often as in state 1, 36 times for K = 1,
    which leaves rho (108 + 8 / (rho - 4)), least at rho = 4 + (32 / 108)^(1/2): 8 / (rho - 4) =
    6 sqrt(6) samples of staying in state 0, and U = 440 + 48 sqrt(6).
    """
    transitions = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 0]]])  # P[s, a, s']
    return TabularMDP.from_dense(transitions, [[0.0, 0.0], [1.0, 0.0]])


def make(
    model: TabularMDP | None, n_states: int | None = 2, discount: float = DISCOUNT, **given: Any
) -> AllocationDistance:
    """The metric on a model."""
    problem = Problem(n_states=n_states, n_actions=2, discount=discount, horizon=100)
    config, rng = Config(**given), np.random.default_rng(0)
    bound = assembly.named(Registry.discover(), config, discount)["bound"]
    return AllocationDistance(problem, Scene(model), config, rng, bound=bound)


def measure(metric: AllocationDistance, aim: Any = None) -> dict[str, float]:
    """What the metric says of an agent with an allocation, or without."""
    return metric.measure(advised(metric.problem, aim=aim))


def steps(pairs: list[tuple[int, int]]) -> Transitions:
    """Steps that take the given pairs (s, a)."""
    return Transitions.from_steps(0, [Transition(s, a, 0.0, s) for s, a in pairs])


def test_optimum_of_walks_by_hand() -> None:
    """At omega* = (6 sqrt(6), 36, 36, 36) / sum the distance is 0 and U = 440 + 48 sqrt(6)."""
    found = measure(make(stay_or_swap()), SAMPLES / SAMPLES.sum())

    assert found == {
        "allocation_tv": pytest.approx(0.0, abs=1e-9),
        "allocation_bound": pytest.approx(440.0 + 48.0 * 6.0**0.5, rel=1e-9),
    }


def test_uniform_by_hand() -> None:
    """At 1/4 each: U = 8 * 4 + 4 * (36 * 4) = 608; the surplus is all in staying in state 0."""
    found = measure(make(stay_or_swap()), UNIFORM)

    distance = 0.25 - SAMPLES[0, 0] / SAMPLES.sum()
    assert found == {
        "allocation_tv": pytest.approx(distance, rel=1e-6),
        "allocation_bound": pytest.approx(608.0),
    }


def test_visits_by_hand() -> None:
    """The frequencies of the pairs taken so far, over all chunks, are measured alike."""
    metric = make(stay_or_swap())
    metric.observe(steps([(0, 0), (0, 1)]))
    metric.observe(steps([(1, 0), (1, 1)]))

    found, aimed = measure(metric), measure(metric, UNIFORM)

    assert metric.counts.tolist() == [[1, 1], [1, 1]]
    assert found == {"visits_tv": aimed["allocation_tv"], "visits_bound": pytest.approx(608.0)}
    assert aimed["visits_bound"] == aimed["allocation_bound"]


def test_infinite_bounds_are_left_out() -> None:
    """A pair without samples makes the bound infinite; the distance remains."""
    metric = make(stay_or_swap())
    metric.observe(steps([(0, 0), (0, 1), (1, 0)]))

    assert set(measure(metric, [[0.5, 0.5], [0.0, 0.0]])) == {"allocation_tv", "visits_tv"}


def test_nothing_before_the_first_step() -> None:
    """Without an allocation and without steps there is nothing to measure."""
    assert measure(make(stay_or_swap())) == {}


def test_generative_optimum() -> None:
    """When any pair can be sampled, swapping in state 1 needs few samples, not 36."""
    found = make(stay_or_swap(), constraint="generative").target

    assert found is not None
    w = found.allocation / found.allocation[0, 1]
    assert w[1, 0] == pytest.approx(1.0)
    rho = 4.0 + 8.0 / (36.0 * w[0, 0])  # from w(0, stay) = 8 / (rho - 4), in units of 36
    assert 36.0 * w[1, 1] == pytest.approx((8.0 / 9.0) / (rho - 4.0 / 9.0))


@pytest.mark.parametrize(
    ("given", "h", "c"),
    [
        ({"bound": "u"}, 8.0, 1444.0),
        ({"bound": "u_k"}, 8.0, 1444.0),
        ({"bound": "u_k", "k": 3}, 8.0, 1444.0),
        ({"bound": "u_tilde", "k": 1}, 8.0, 5776.0),
        ({"bound": "u0"}, 8.0, 800.0),
    ],
)
def test_bounds_by_hand(given: dict[str, Any], h: float, c: float) -> None:
    """One state that pays 1 or 0.5 at discount 0.9: 2/D^2 = 8; c from its formula.

    4 (1.9 / 0.1)^2 = 1444 for u, over D^2 for u_tilde, and 2 / (D 0.1)^2 = 800 for u0.
    """
    model = TabularMDP.from_dense(np.ones((1, 2, 1)), [[1.0, 0.5]])
    d = 4.0 if given["bound"] in ("u", "u_k") else 1.0

    found = measure(make(model, n_states=1, discount=0.9, **given), [[0.8, 0.2]])

    best = np.sqrt(c * d) / (np.sqrt(c * d) + np.sqrt(h))
    assert found["allocation_bound"] == pytest.approx(h / 0.2 + d * c / 0.8)
    assert found["allocation_tv"] == pytest.approx(best - 0.8)


@pytest.mark.parametrize(
    ("moves", "rewards"),
    [
        ([[0, 1], [1, 0]], [[0.5, 0.5], [0.5, 0.5]]),  # every policy is optimal
        ([[0, 1], [1, 1]], [[0.0, 0.2], [1.0, 0.5]]),  # state 0 is left for good
    ],
)
def test_nothing_to_aim_at(moves: Any, rewards: Any) -> None:
    """Ties, and states that no walk comes back to: no columns and no error."""
    metric = make(TabularMDP.from_dense(np.eye(2)[np.array(moves)], rewards))
    metric.observe(steps([(0, 0), (0, 1), (1, 0), (1, 1)]))

    assert measure(metric, UNIFORM) == {}
    assert set(metric.arrays()) == {"pair_visits"}


def test_gap_below_rounding_is_not_measured() -> None:
    """A gap that floating point cannot tell from zero gives no columns and no error."""
    model = riverswim(600)

    assert measure(make(model, n_states=600, discount=0.9), np.full((600, 2), 1.0 / 1200.0)) == {}


def test_solved_once_and_not_at_construction(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first measurement solves; later ones do not."""
    calls, plain = [], module.solve

    def counted(*given: Any) -> Any:
        calls.append(given)
        return plain(*given)

    monkeypatch.setattr(module, "solve", counted)
    metric = make(stay_or_swap())
    metric.observe(steps([(0, 0)]))
    assert calls == []

    first, again = measure(metric, UNIFORM), measure(metric, UNIFORM)

    assert first == again
    assert len(calls) == 1


def test_arrays() -> None:
    """The counts and the optimum, as copies."""
    metric = make(stay_or_swap())
    metric.observe(steps([(1, 0), (1, 0)]))

    arrays = metric.arrays()

    assert arrays["pair_visits"].tolist() == [[0, 0], [2, 0]]
    assert arrays["optimal_allocation"] == pytest.approx(SAMPLES / SAMPLES.sum(), rel=1e-6)
    arrays["pair_visits"][:] = 9
    assert metric.counts.sum() == 2


def test_state_is_the_counts_alone() -> None:
    """A loaded metric goes on counting where the saved one was."""
    one, other = make(stay_or_swap()), make(stay_or_swap())
    one.observe(steps([(0, 0), (1, 1)]))
    other.load_state_dict(one.state_dict())
    other.observe(steps([(0, 0)]))

    assert other.counts.tolist() == [[2, 0], [0, 1]]
    assert one.counts.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("model", "n_states", "lacking"),
    [(None, 2, "exact model"), (stay_or_swap(), None, "integer states")],
)
def test_requirements(model: Any, n_states: int | None, lacking: str) -> None:
    """Without a model or integer states there is nothing to compare."""
    with pytest.raises(RequirementError, match=f"Scene has no {lacking}"):
        make(model, n_states=n_states)


def test_unknown_bound_is_refused() -> None:
    """The message lists those that exist."""
    with pytest.raises(NotFoundError, match=r"u7.*u_k"):
        make(stay_or_swap(), bound="u7")


class Steep(Bound):
    """A third party's bound, of no common form: largest 1 / w, so even weights are the best."""

    def evaluate(self, mdp: TabularMDP, allocation: Any) -> float:
        """Infinite where a pair is left out."""
        with np.errstate(divide="ignore"):
            return float((1.0 / allocation).max())

    def solve(self, mdp: TabularMDP, constraint: Constraint = "generative") -> BoundSolution:
        """Even weights."""
        even = np.full((mdp.n_states, mdp.n_actions), 1.0 / (mdp.n_states * mdp.n_actions))
        return BoundSolution(
            value=float(even.size),
            allocation=even,
            status="optimal",
            relative_gap=0.0,
            residual=0.0,
            solver="by hand",
        )


def test_a_bound_of_a_third_party_is_measured() -> None:
    """Whatever fulfils the contract: U = 1 / 0.1 at an allocation that is 0.3 from even."""
    problem = Problem(n_states=2, n_actions=2, discount=DISCOUNT, horizon=100)
    rng, bound = np.random.default_rng(0), Steep(DISCOUNT, None)
    metric = AllocationDistance(problem, Scene(stay_or_swap()), Config(), rng, bound=bound)

    found = measure(metric, [[0.1, 0.4], [0.4, 0.1]])

    assert found == {
        "allocation_tv": pytest.approx(0.3),
        "allocation_bound": pytest.approx(10.0),
    }


def test_gaps_that_cannot_be_squared_are_no_target() -> None:
    """Rewards of 1e-170: neither a warning nor NaN, and the run goes on without the columns."""
    model = stay_or_swap()
    small = TabularMDP.from_dense(
        model.transitions, model.mean_rewards * 1e-170, reward_range=(0.0, 1.0)
    )

    assert measure(make(small), np.full((2, 2), 0.25)) == {}
