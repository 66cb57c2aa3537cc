from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import pytest

from mfbpi_core import NoConfig, Problem, TabularMDP
from mfbpi_core.errors import PluginError, RequirementError
from mfbpi_lib_tabular.solution import planning
from mfbpi_lib_tabular.testing import Scene, advised
from mfbpi_metric_value_error.metric import PolicyValueError, value_error_2, value_ratio

DISCOUNT = 0.5
PROBLEM = Problem(n_states=2, n_actions=2, discount=DISCOUNT, horizon=100)


def stay_or_swap(rewards: Any = ((0.0, 0.0), (1.0, 0.0)), low: float = 0.0) -> TabularMDP:
    """Two states; action 0 stays, action 1 goes to the other one. V* = 1, 2 at discount 1/2."""
    transitions = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 0]]])  # P[s, a, s']
    return TabularMDP.from_dense(transitions, rewards, reward_range=(low, 1.0))


def make(model: TabularMDP | None) -> PolicyValueError:
    """The metric on a model."""
    return PolicyValueError(PROBLEM, Scene(model), NoConfig(), np.random.default_rng(0))


def measure(metric: PolicyValueError, policy: Any) -> dict[str, float]:
    """What the metric says of a policy."""
    return metric.measure(advised(PROBLEM, policy=policy))


@pytest.mark.parametrize(
    ("optimal", "achieved", "ratio", "error_2"),
    [
        ([1.0, 2.0], [1.0, 2.0], 1.0, 0.0),
        ([1.0, 2.0], [0.0, 0.0], 0.0, 1.0),
        ([3.0, 4.0], [3.0, 1.0], 0.25, 0.6),  # loss 0, 3; norms 4 and 5
        ([0.0, 0.0], [0.0, 0.0], 1.0, 0.0),
        ([0.0, 0.0], [0.0, -1.0], 0.0, np.inf),
        ([1.0, 0.0], [-2.0, 0.0], 0.0, 3.0),
    ],
)
def test_by_hand(optimal: Any, achieved: Any, ratio: float, error_2: float) -> None:
    """Norms that can be computed by hand, without rewards and with negative values too."""
    assert value_ratio(optimal, achieved) == pytest.approx(ratio)
    assert value_error_2(optimal, achieved) == pytest.approx(error_2)


@pytest.mark.parametrize(
    ("policy", "achieved"),
    [
        ([1, 0], [1.0, 2.0]),  # optimal
        ([0, 0], [0.0, 2.0]),  # stays where there is nothing
        ([0, 1], [0.0, 0.0]),
        ([1, 1], [0.0, 0.0]),  # leaves the reward again
    ],
)
def test_columns(policy: list[int], achieved: list[float]) -> None:
    """V* = 1, 2; the values of each of the four policies follow by hand."""
    expected = {
        "value_ratio": 1.0 - max(1.0 - achieved[0], 2.0 - achieved[1]) / 2.0,
        "value_error_2": np.hypot(1.0 - achieved[0], 2.0 - achieved[1]) / np.sqrt(5.0),
    }

    assert measure(make(stay_or_swap()), policy) == pytest.approx(expected)


def test_any_optimal_policy_is_right() -> None:
    """Where both actions do equally well, each choice scores 1."""
    metric = make(stay_or_swap(rewards=np.full((2, 2), 0.5)))

    for policy in ([0, 0], [0, 1], [1, 0], [1, 1]):
        assert measure(metric, policy) == {
            "value_ratio": pytest.approx(1.0, abs=1e-14),
            "value_error_2": pytest.approx(0.0, abs=1e-14),
        }


def test_without_a_policy() -> None:
    """An agent without a recommendation over states is not measured."""
    assert measure(make(stay_or_swap()), None) == {}


def test_what_is_infinite_is_left_out() -> None:
    """Where V* is 0 a loss has no relative size; rewards of -1 elsewhere make one possible."""
    model = stay_or_swap(rewards=[[0.0, -1.0], [-1.0, 0.0]], low=-1.0)

    assert measure(make(model), [0, 0]) == {"value_ratio": 0.0}


def test_solves_only_when_the_policy_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """V* is computed at construction; V^pi once for each change of the recommendation."""
    calls = []

    def count(name: str) -> None:
        plain = getattr(planning, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            calls.append(name)
            return plain(*args, **kwargs)

        monkeypatch.setattr(planning, name, counted)

    count("solve")
    count("evaluate_policy")
    metric = make(stay_or_swap())
    results = [measure(metric, policy) for policy in ([1, 0], [1, 0], [0, 0], [0, 0], [1, 0])]

    assert calls == ["solve", "evaluate_policy", "evaluate_policy", "evaluate_policy"]
    assert results[0] == results[1] == results[4] != results[2] == results[3]


def test_policy_changed_in_place_is_noticed() -> None:
    """The last policy is remembered by value."""
    metric, policy = make(stay_or_swap()), np.array([1, 0])
    first = measure(metric, policy)
    policy[0] = 0

    assert measure(metric, policy) != first


def test_discount_of_the_problem_is_used() -> None:
    """With discount 0.9, V* = 9, 10, and staying in state 0 loses 9 of 10."""
    problem = attrs.evolve(PROBLEM, discount=0.9)
    metric = PolicyValueError(problem, Scene(stay_or_swap()), NoConfig(), np.random.default_rng(0))

    assert measure(metric, [0, 0])["value_ratio"] == pytest.approx(0.1)


def test_arrays() -> None:
    """The optimal values, and those of the last policy once there is one."""
    metric = make(stay_or_swap())

    assert set(metric.arrays()) == {"optimal_values"}
    measure(metric, [0, 0])
    assert metric.arrays()["optimal_values"] == pytest.approx([1.0, 2.0])
    assert metric.arrays()["policy_values"] == pytest.approx([0.0, 2.0])


def test_arrays_survive_saving() -> None:
    """A run killed after its last evaluation has them from the saved state alone."""
    metric, loaded, fresh = (make(stay_or_swap()) for _ in range(3))
    measure(metric, [0, 0])
    loaded.load_state_dict(metric.state_dict())
    assert loaded.arrays()["policy_values"] == pytest.approx([0.0, 2.0])
    loaded.load_state_dict(fresh.state_dict())

    assert set(loaded.arrays()) == {"optimal_values"}


def test_needs_a_model() -> None:
    """Without an exact model there is nothing to compare with."""
    with pytest.raises(RequirementError, match="Scene has no exact model"):
        make(None)


def test_impossible_policy_is_refused() -> None:
    """An action that does not exist is named."""
    with pytest.raises(
        PluginError, match=r"recommended_policy is .*; expected integers from 0 to 1"
    ):
        measure(make(stay_or_swap()), [0, 2])
