from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mfbpi_core import NoConfig, Problem, TabularMDP, Transition, Transitions
from mfbpi_core.errors import RequirementError
from mfbpi_lib_tabular.solution import gaps, planning
from mfbpi_lib_tabular.testing import Scene, advised, frozen_lake, garnet, ring, riverswim
from mfbpi_metric_regret.metric import Regret

Steps = list[tuple[int, int]]
Choose = Callable[[int], int]


def stay_or_swap(rewards: Any = ((0.0, 0.0), (1.0, 0.0))) -> TabularMDP:
    """Two states; action 0 stays, action 1 goes to the other one; staying in state 1 pays 1."""
    transitions = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 0]]])  # P[s, a, s']
    return TabularMDP.from_dense(transitions, rewards)


def exit_door() -> TabularMDP:
    """State 0: leave (reward 1, episode over) or wait (reward 0.5, stay). State 1 is terminal."""
    transitions = np.zeros((2, 2, 2))  # P[s, a, s']
    transitions[0, 0, 1] = transitions[0, 1, 0] = 1.0
    transitions[1, :, 1] = 1.0
    return TabularMDP.from_dense(
        transitions, [[1.0, 0.5], [0.0, 0.0]], terminal=np.array([False, True])
    )


def random_model(seed: int) -> TabularMDP:
    """A few states and actions, rows with zeros, terminal states now and then, or none."""
    rng = np.random.default_rng(seed)
    n_states, n_actions = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    transitions = rng.dirichlet(np.full(n_states, 0.3), size=(n_states, n_actions))
    terminal = rng.random(n_states) < 0.2 * (seed % 2)
    terminal[0] = False
    rewards = np.where(terminal[:, None], 0.0, rng.random((n_states, n_actions)))
    return TabularMDP.from_dense(transitions, rewards, terminal=terminal)


MODELS = {
    **{f"random {seed}": random_model(seed) for seed in range(30)},
    "riverswim": riverswim(6),
    "garnet": garnet(40),
    "ring": ring(5),
    "frozen lake": frozen_lake(["SFFF", "FHFH", "FFFH", "HFFG"]),
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
each_discount = pytest.mark.parametrize("discount", [0.5, 0.99])


def make(model: TabularMDP | None, discount: float = 0.5, n_states: int | None = 1) -> Regret:
    """The metric on a model."""
    actions = 1 if model is None else model.n_actions
    n_states = model.n_states if model is not None and n_states else n_states
    problem = Problem(n_states=n_states, n_actions=actions, discount=discount, horizon=100)
    return Regret(problem, Scene(model), NoConfig(), np.random.default_rng(0))


def batch(taken: Steps) -> Transitions:
    """Steps that take the given pairs (s, a)."""
    return Transitions.from_steps(0, [Transition(s, a, 0.0, s) for s, a in taken])


def measure(metric: Regret, *batches: Steps) -> dict[str, float]:
    """What it says after some steps."""
    for taken in batches:
        metric.observe(batch(taken))
    return metric.measure(advised(metric.problem))


def walk(model: TabularMDP, choose: Choose, steps: int, seed: int = 0) -> Steps:
    """Pairs of a walk, which starts again where an episode ends."""
    rng, taken = np.random.default_rng(seed), []
    state = int(rng.choice(model.n_states, p=model.initial))
    for _ in range(steps):
        action = choose(state)
        taken.append((state, action))
        slot = rng.choice(model.probabilities.shape[2], p=model.probabilities[state, action])
        state = int(model.successors[state, action, slot])
        if model.terminal[state]:
            state = int(rng.choice(model.n_states, p=model.initial))
    return taken


def optimal_values(model: TabularMDP, discount: float) -> tuple[Any, Any]:
    """V* and Q* by value iteration until nothing changes: another way than the library's."""
    values = np.zeros(model.n_states)
    while True:
        following = (model.probabilities * values[model.successors]).sum(axis=2)
        q_values = model.mean_rewards + discount * following
        improved = np.where(model.terminal, 0.0, q_values.max(axis=1))
        if np.abs(improved - values).max() < 1e-14:
            return improved, q_values
        values = improved


def test_by_hand() -> None:
    """V* = 1, 2 at discount 1/2: staying in state 0 lacks 1/2, swapping in state 1 lacks 3/2."""
    metric = make(stay_or_swap())

    assert measure(metric, [(0, 1), (1, 0), (1, 0)]) == {"regret": 0.0, "regret_mean": 0.0}
    assert measure(metric, [(0, 0)]) == {"regret": 0.5, "regret_mean": 0.125}
    assert measure(metric, [(0, 0), (1, 1), (1, 1), (0, 1)]) == {
        "regret": 4.0,
        "regret_mean": 0.5,
    }
    assert metric.arrays()["pair_regret"].tolist() == [[1.0, 0.0], [0.0, 3.0]]


def test_discount_of_the_problem_is_used() -> None:
    """V* = 9, 10 at 0.9: staying in state 0 lacks 0.9, swapping in state 1 lacks 1.9."""
    metric = make(stay_or_swap(), discount=0.9)

    assert measure(metric, [(0, 0), (1, 1)])["regret"] == pytest.approx(2.8)


def test_an_end_by_hand() -> None:
    """At 0.9 waiting is worth 5, leaving 1; nobody acts where an episode has ended."""
    metric = make(exit_door(), discount=0.9)

    found = measure(metric, [(0, 0), (0, 1), (0, 1), (0, 0)])

    assert found == {"regret": pytest.approx(8.0), "regret_mean": pytest.approx(2.0)}
    assert metric.arrays()["pair_regret"][1].tolist() == [0.0, 0.0]


def test_before_the_first_step() -> None:
    """Nothing was lost; nothing over nothing is no number."""
    assert measure(make(stay_or_swap())) == {"regret": 0.0}


@each_discount
def test_any_optimal_action_costs_nothing(discount: float) -> None:
    """Where actions tie, whichever is taken is free, exactly: two doors, and paths over the ice."""
    even = make(stay_or_swap(rewards=np.full((2, 2), 0.1)), discount)
    lake = make(MODELS["frozen lake"], discount)
    on_ice = np.flatnonzero(~lake.model.terminal)

    assert measure(even, [(0, 0), (0, 1), (1, 0), (1, 1)])["regret"] == 0.0
    assert np.count_nonzero(lake.delta[on_ice] == 0.0) > len(on_ice)


@each_model
@each_discount
def test_optimal_policy_has_no_regret(model: TabularMDP, discount: float) -> None:
    """Exactly none, over a walk of any model."""
    policy = planning.solve(model, discount).policy
    metric = make(model, discount)

    assert measure(metric, walk(model, lambda s: int(policy[s]), 300))["regret"] == 0.0


@each_model
@each_discount
def test_it_is_the_sum_over_the_trajectory(model: TabularMDP, discount: float) -> None:
    """Step by step, V*(s) - Q*(s, a) of values that were computed in another way."""
    values, q_values = optimal_values(model, discount)
    rng = np.random.default_rng(1)
    taken = walk(model, lambda _: int(rng.integers(model.n_actions)), 300)
    expected = sum(values[s] - q_values[s, a] for s, a in taken)

    found = measure(make(model, discount), taken[:100], taken[100:101], taken[101:])

    assert found["regret"] == pytest.approx(expected, abs=1e-9)
    assert found["regret_mean"] == pytest.approx(expected / 300, abs=1e-11)


@each_model
@each_discount
def test_performance_difference(model: TabularMDP, discount: float) -> None:
    """The discounted gaps of a policy sum to V* - V^pi: x = Delta_pi + gamma P_pi x, solved."""
    policy = np.random.default_rng(2).dirichlet(np.ones(model.n_actions), size=model.n_states)
    lost = optimal_values(model, discount)[0] - planning.evaluate_policy(model, policy, discount)
    onward: npt.NDArray[np.float64] = np.einsum("sa,sat->st", policy, model.transitions)
    onward[model.terminal] = 0.0  # nothing follows
    gap = (policy * make(model, discount).delta).sum(axis=1)  # [S], mean gap of a step

    summed = np.linalg.solve(np.eye(model.n_states) - discount * onward, gap)

    assert summed == pytest.approx(lost, abs=1e-10)


@each_model
def test_batches_and_resuming_do_not_matter(model: TabularMDP) -> None:
    """Uneven batches, saved and loaded in between: the same to the bit as all at once."""
    rng = np.random.default_rng(3)
    taken = walk(model, lambda _: int(rng.integers(model.n_actions)), 200)
    whole, first, second = (make(model, 0.99) for _ in range(3))
    measure(first, taken[:1], taken[1:60])
    second.load_state_dict(first.state_dict())

    assert measure(second, taken[60:199], taken[199:]) == measure(whole, taken)


def test_unresolved_gaps_count_as_none() -> None:
    """Far enough from the reward a gap is below what tells it from 0; a small one is kept."""
    model = riverswim(600)
    delta = make(model, discount=0.9).delta
    unresolved = gaps.separate(model, planning.solve(model, 0.9), 0.9).unresolved

    assert len(unresolved) > 100
    assert {delta[pair] for pair in unresolved} == {0.0}
    assert delta[0, 1] == pytest.approx(0.0635, abs=1e-4)
    assert 0.0 < delta[200, 1] < 1e-10


def test_solved_once_and_not_at_construction(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first measurement solves; later ones do not."""
    calls, plain = [], planning.solve

    def counted(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        return plain(*args, **kwargs)

    monkeypatch.setattr(planning, "solve", counted)
    metric = make(stay_or_swap())
    metric.observe(batch([(0, 0)]))
    assert calls == []
    measure(metric)
    measure(metric, [(1, 1)])

    assert len(calls) == 1


def test_arrays_are_copies() -> None:
    """Whoever writes into one changes nothing."""
    metric = make(stay_or_swap())
    metric.observe(batch([(0, 0)]))
    metric.arrays()["pair_regret"][:] = 9.0

    assert measure(metric)["regret"] == 0.5


@pytest.mark.parametrize(
    ("model", "n_states", "lacking"),
    [(None, 2, "exact model"), (stay_or_swap(), None, "integer states")],
)
def test_requirements(model: Any, n_states: int | None, lacking: str) -> None:
    """Without a model or integer states there are no gaps."""
    with pytest.raises(RequirementError, match=f"Scene has no {lacking}; the metric Regret"):
        make(model, n_states=n_states)
