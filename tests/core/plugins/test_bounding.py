"""What bounds return: refused unless it can be shown, averaged and followed."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
import pytest

from mfbpi_core import Bound, BoundSolution, NoConfig, TabularMDP
from mfbpi_core.errors import PluginError, SolverError, UsageError
from mfbpi_core.plugins import bounding

MDP = TabularMDP.from_dense([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.3, 0.7]]], [[0, 1], [1, 0]])

GOOD = BoundSolution(
    value=4.0,
    allocation=np.full((2, 2), 0.25),
    status="optimal",
    relative_gap=0.0,
    residual=0.0,
    solver="by hand",
)


class Fixed(Bound[NoConfig]):
    """Returns, or raises, what it was given."""

    def __init__(self, given: Any) -> None:
        super().__init__(0.9, NoConfig())
        self.given = given

    def evaluate(self, mdp: TabularMDP, allocation: Any) -> float:
        """What was given."""
        return self._given()

    def solve(self, mdp: TabularMDP, constraint: Any = "generative") -> BoundSolution:
        """What was given."""
        found: BoundSolution = self._given()
        return found

    def _given(self) -> Any:
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


class Forgetful(Fixed):
    """Takes no constraint."""

    def solve(self, mdp: TabularMDP) -> BoundSolution:  # type: ignore[override] # on purpose
        """A good solution."""
        return GOOD


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"value": math.nan}, "the value nan; expected a number, 0 or more"),
        ({"value": -5.0}, "the value -5.0; expected a number, 0 or more"),
        ({"value": -math.inf}, "the value -inf; expected a number"),
        ({"value": "12"}, "the value '12'; expected a number"),
        ({"value": None}, "the value None; expected a number"),
        (
            {"allocation": np.full((2, 2), 10.5)},
            r"minimum 10.5 and sum 42; expected a distribution",
        ),
        ({"allocation": np.full((2, 2), math.nan)}, r"minimum nan and sum nan; expected"),
        ({"allocation": np.array([[-0.5, 0.5], [0.5, 0.5]])}, r"minimum -0.5 and sum 1; expected"),
        ({"allocation": np.ones(3) / 3}, r"of shape \(3,\); expected .* \[S, A\] = \[2, 2\]"),
        ({"allocation": None}, "the value 4 and no allocation; expected a distribution"),
        ({"allocation": "even"}, "the allocation 'even'; expected a distribution"),
        ({"allocation": np.full((2, 2), 0.25 + 0j)}, r"expected .*\(.* not of complex numbers"),
        (
            {"allocation": np.ma.array(np.full((2, 2), 0.25), mask=[[0, 1], [0, 0]])},
            r"expected .*\(allocation\[0, 1\] is masked",
        ),
        ({"relative_gap": math.inf}, r"the relative gap inf; expected .* or NaN"),
        (
            {"value": math.inf, "allocation": None, "reason": "ties"},
            "the status 'optimal' of the value inf; expected 'infinite'",
        ),
        ({"status": "infinite"}, "the status 'infinite' of the value 4; expected 'infinite'"),
        ({"residual": math.nan}, "the residual nan; expected the largest violation"),
        ({"residual": -1.0}, "the residual -1.0; expected"),
        ({"relative_gap": -1.0}, r"the relative gap -1.0; expected .* or NaN"),
        ({"relative_gap": None}, "the relative gap None; expected"),
        ({"status": 5}, "`status` 5; expected a text"),
        ({"solver": None}, "`solver` None; expected a text"),
        ({"details": {"a": object()}}, "`details` {'a': <object.*expected a dict of what JSON"),
        (
            {"value": math.inf, "allocation": None, "status": "infinite"},
            "infinite value without `reason`",
        ),
    ],
)
def test_a_solution_that_is_none_is_refused(changed: dict[str, Any], message: str) -> None:
    """With what was returned, and what is expected."""
    with pytest.raises(PluginError, match=rf"^bound Fixed: solve returned .*{message}"):
        bounding.solved(Fixed(attrs.evolve(GOOD, **changed)), MDP)


@pytest.mark.parametrize("given", [None, 3.0, "12"])
def test_what_is_no_solution_is_refused(given: object) -> None:
    """Whatever else it is."""
    with pytest.raises(PluginError, match=rf"solve returned {given!r}; expected a BoundSolution"):
        bounding.solved(Fixed(given), MDP)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"relative_gap": math.nan},
        {"relative_gap": math.inf, "status": "inaccurate"},
        {"relative_gap": -1e-16},
        {"value": math.inf, "allocation": None, "status": "infinite", "reason": "there are ties"},
        {"allocation": np.array([[0.5, 0.5 + 1e-9], [0.0, -1e-12]]), "status": "inaccurate"},
    ],
)
def test_a_sound_solution_stays_the_same_object(changed: dict[str, Any]) -> None:
    """Nothing is rounded on its way."""
    given = attrs.evolve(GOOD, **changed)

    assert bounding.solved(Fixed(given), MDP) is given


def test_a_flow_out_of_balance_is_measured() -> None:
    """Refused where it is not said; what is said is replaced by what is measured."""
    found = attrs.evolve(GOOD, allocation=np.array([[0.0, 3 / 13], [0.0, 10 / 13]]))  # a walk
    out = attrs.evolve(found, allocation=np.full((2, 2), 0.25))  # enters 0: 0.325 of 0.5

    assert bounding.solved(Fixed(found), MDP, "navigation") is found
    assert bounding.solved(Fixed(attrs.evolve(found, residual=0.5)), MDP, "navigation").residual < (
        1e-15
    )
    assert bounding.solved(Fixed(attrs.evolve(out, residual=0.2)), MDP, "navigation").residual == (
        pytest.approx(0.175)
    )
    with pytest.raises(PluginError, match=r"a flow equation by 0.175, and the residual 0; expect"):
        bounding.solved(Fixed(out), MDP, "navigation")
    assert bounding.solved(Fixed(out), MDP, "generative") is out


def test_numbers_of_numpy_and_lists_become_plain() -> None:
    """They mean the same."""
    given = attrs.evolve(GOOD, value=np.float32(4.0), residual=0, allocation=[[0.25, 0.25]] * 2)
    found = bounding.solved(Fixed(given), MDP)

    assert found.allocation is not None
    assert (type(found.value), type(found.residual)) == (float, float)
    assert found.allocation.tolist() == [[0.25, 0.25]] * 2


def test_a_solve_that_takes_no_constraint_is_refused() -> None:
    """Before it is called."""
    with pytest.raises(PluginError, match=r"cannot be called with \(mdp, constraint\): too many"):
        bounding.solved(Forgetful(None), MDP)


@pytest.mark.parametrize("given", [math.nan, -1.0, "1", None])
def test_a_value_that_is_none_is_refused(given: object) -> None:
    """That of an allocation."""
    with pytest.raises(PluginError, match=r"^bound Fixed: evaluate returned .*; expected a number"):
        bounding.evaluated(Fixed(given), MDP, np.full((2, 2), 0.25))


def test_what_a_bound_may_raise_goes_through() -> None:
    """That there is no solution, or that something was asked wrongly, is said by the bound."""
    for error in (SolverError("none found"), UsageError("no navigation")):
        with pytest.raises(type(error), match=str(error)):
            bounding.solved(Fixed(error), MDP)
