import math

import attrs
import numpy as np
import pytest

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import SolverError, UsageError
from mfbpi_lib_bounds import bound as bounds
from mfbpi_lib_bounds import coefficients, generative, navigation, planned
from mfbpi_lib_bounds.bound import certified
from mfbpi_lib_bounds.coefficients import discrepancy
from mfbpi_lib_bounds.instance import PlannedInstance
from mfbpi_lib_bounds.leaning import Leaning
from mfbpi_lib_bounds.solution import Solution
from mfbpi_lib_tabular import testing
from mfbpi_lib_tabular.solution import gaps


def _deterministic(moves, rewards, **options) -> TabularMDP:
    """An instance in which action a leads from s surely to moves[s][a]."""
    successors = np.array(moves)[:, :, None]
    return TabularMDP.from_successors(successors, np.ones(successors.shape), rewards, **options)


@pytest.fixture
def tied() -> TabularMDP:
    """Two identical actions in each of two states."""
    return TabularMDP.from_dense(np.full((2, 2, 2), 0.5), [[0.2, 0.2], [0.7, 0.7]])


@pytest.mark.parametrize("constraint", ["generative", "navigation"])
def test_solve_and_evaluate_agree(riverswim, constraint, made):
    """The value is that of the allocation; below it, the certificate."""
    mdp, bound = riverswim(7), made()

    found = bound.solve(mdp, constraint)

    assert found.status == "optimal"
    assert bound.evaluate(mdp, found.allocation) == found.value
    assert found.details["lower_bound"] == pytest.approx(found.value, rel=1e-9)


@pytest.mark.parametrize("constraint", ["generative", "navigation"])
def test_ties_are_infinite(tied, constraint, made):
    """The reason and the tied pairs are given."""
    found = made().solve(tied, constraint)

    assert (found.value, found.status, found.allocation) == (math.inf, "infinite", None)
    assert "optimal policy not unique" in found.reason
    assert sorted(found.details["ties"]) in ([[0, 0], [1, 0]], [[0, 1], [1, 1]])
    assert f"(s=0, a={found.details['ties'][0][1]})" in found.reason
    assert made().evaluate(tied, np.full((2, 2), 0.25)) == math.inf


def test_gap_below_rounding_is_a_typed_error(riverswim, made):
    """Neither a tie nor a number: the message gives the tolerance and the pairs."""
    with pytest.raises(SolverError, match=r"gaps are below .* pairs \(s=\d+, a=1\), "):
        made(0.9).solve(riverswim(600))


def _with_residue(residue: float) -> TabularMDP:
    """Two actions that differ by one number alone."""
    other = [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]
    transitions = [[[0.9, 0.1, residue], [0.9, 0.1, 0.0]], other, other]
    return TabularMDP.from_dense(np.array(transitions), [[0.5, 0.5], [0.2, 0.1], [0.7, 1.0]])


def test_what_a_subtraction_left_is_named(made):
    """Meant, it makes a gap; as 0 it makes a tie: one must say, and is told which number it is."""
    said = (
        r"^1 gap is below .* pairs \(s=0, a=1\); expected 0, or more than 3e-15 "
        r"\(a reward: of the largest\), for P\(s'=2 \| s=0, a=0\) = 2\.78e-17, which can be meant"
    )
    with pytest.raises(SolverError, match=said):
        made(0.9).solve(_with_residue(abs(1.0 - 0.9 - 0.1)))

    assert made(0.9).solve(_with_residue(0.0)).status == "infinite"  # as advised
    for advised in (4e-15, 1e-12):
        found = made(0.9).solve(_with_residue(advised))
        assert (found.status, found.value > 1.0 / advised**2) == ("optimal", True)


def test_a_reward_that_a_subtraction_left_is_named(made):
    """The same of rewards; where no number is so small, none is named."""
    stay = np.tile(np.eye(2)[:, None, :], (1, 2, 1))
    mdp = TabularMDP.from_dense(stay, [[1e-17, 0.0], [1.0, 0.5]])

    with pytest.raises(SolverError, match=r"for r\(s=0, a=0\) = 1e-17, which can be meant"):
        made(0.9).solve(mdp)


def test_tiny_gap_has_its_value(made):
    """u_1 of two actions that differ by 2e-12: (sqrt h + sqrt c)^2 with their own gap, exactly."""
    mdp = TabularMDP.from_dense(np.ones((1, 2, 1)), [[0.5, 0.5 - 2e-12]])
    bound = made(0.5)

    found = bound.solve(mdp)

    gap = 0.5 - (0.5 - 2e-12)  # minimise 2 / (w D^2) + 36 / ((1 - w) D^2), c = 4 * 1.5^2 / 0.5^2
    assert found.value == pytest.approx((2.0**0.5 + 36.0**0.5) ** 2 / gap**2, rel=1e-12)
    assert (found.status, found.relative_gap < 1e-12) == ("optimal", True)


@pytest.mark.parametrize("constraint", ["generative", "navigation"])
@pytest.mark.parametrize("discount", [0.99, 0.9999])
def test_values_are_those_of_exact_gaps(riverswim, constraint, discount, made):
    """The bound of gaps from fractions, although those of float64 are off by up to 1e-4."""
    mdp = riverswim(20)

    found = made(discount).solve(mdp, constraint)

    instance = PlannedInstance(mdp=mdp, discount=discount)
    exactly = np.array(testing.exact_gaps(mdp, instance.policy, discount), dtype=float)
    terms = instance.moment_terms(1)
    right = coefficients.u(exactly, terms, instance.policy, discount)
    minimum = (
        generative.minimise(right)
        if constraint == "generative"
        else navigation.minimise(right, instance.walk)
    )
    assert found.value == pytest.approx(minimum.value, rel=1e-11)
    assert abs(found.value / minimum.value - 1.0) <= found.relative_gap
    assert found.status == "optimal"


@pytest.fixture
def coarse(monkeypatch):
    """Planning that claims to know gaps to 1e-9 and values to 5e-10 only."""
    plain = gaps.separate

    def separate(*given):
        return attrs.evolve(plain(*given), gap_error=1e-9, value_error=5e-10)

    monkeypatch.setattr(gaps, "separate", separate)


def test_planning_error_is_part_of_the_gap(riverswim, coarse, made):
    """Gaps known to 1e-9 leave a gap as large as they make the bound uncertain, and say why."""
    mdp = riverswim(10)

    found = made(0.99).solve(mdp)

    delta = PlannedInstance(mdp=mdp, discount=0.99).gaps
    expected = 2e-9 / delta[delta > 0.0].min()  # of D^-2 alone; the moments add to it
    assert found.status == "inaccurate"
    assert "planning error" in found.reason
    assert expected < found.relative_gap < 2.0 * expected
    assert found.details["lower_bound"] < found.value * (1.0 - expected)


@pytest.mark.parametrize("name", ["u0", "u", "u_k", "u_tilde"])
def test_coefficients_lie_between_the_leaning_ones(riverswim, coarse, name):
    """Each falls with the gaps and rises with the moments, for every bound."""
    base = PlannedInstance(mdp=riverswim(8), discount=0.95)
    extra = {"u0": (), "u_k": (2,)}.get(name, (19,))
    instances = (
        Leaning(mdp=base.mdp, discount=0.95, base=base, sign=-1),
        base,
        Leaning(mdp=base.mdp, discount=0.95, base=base, sign=1),
    )
    easy, middle, hard = (getattr(planned, name)(one, *extra) for one in instances)
    pairs = middle.suboptimal
    for low, high in ((easy, middle), (middle, hard)):
        assert (low.h[pairs] < high.h[pairs]).all()
        assert (low.d[pairs] <= high.d[pairs]).all()
        assert (low.c <= high.c).all()
        assert 1e-9 < discrepancy(low, high) < 1e-6
    # Convex, but for the minimum of u0: what is unknown shows at the hardest end.
    assert name == "u0" or discrepancy(middle, hard) >= discrepancy(middle, easy) * (1.0 - 1e-6)


def test_small_gaps_of_long_rivers_are_solved(riverswim, made):
    """RiverSwim 50 at gamma 0.99: certified under both constraints."""
    for constraint in ("generative", "navigation"):
        found = made(0.99).solve(riverswim(50), constraint)

        assert (found.status, found.relative_gap < 1e-9) == ("optimal", True)


def test_several_closed_classes_have_no_walk(made):
    """The message names the states of each class; the generative bound stays finite."""
    mdp = _deterministic([[1, 2], [1, 1], [2, 2]], [[0.0, 0.1], [1.0, 0.0], [0.0, 0.5]])

    found = made().solve(mdp, "navigation")

    assert (found.value, found.status) == (math.inf, "infinite")
    assert "2 closed classes of states: {1}; {2}" in found.reason
    assert math.isfinite(made().solve(mdp, "generative").value)


def test_states_left_for_good_have_no_walk(made):
    """State 0 is never seen again."""
    mdp = _deterministic([[1, 2], [1, 2], [2, 1]], [[0.0, 0.1], [1.0, 0.0], [0.0, 0.5]])

    found = made().solve(mdp, "navigation")

    assert found.value == math.inf
    assert "leaves states {0} for good" in found.reason


@pytest.mark.parametrize("constraint", ["generative", "navigation"])
def test_terminal_states_get_no_samples(constraint, made):
    """An exit or a cycle: the terminal state has no weight, and the walk restarts."""
    mdp = _deterministic(
        [[1, 2], [0, 2], [2, 2]],
        [[0.1, 0.3], [0.6, 0.2], [0.0, 0.0]],
        terminal=np.array([False, False, True]),
    )

    found = made().solve(mdp, constraint)

    assert found.status == "optimal"
    assert (found.allocation[2] == 0.0).all()
    assert (found.allocation[:2] > 0.0).all()
    if constraint == "navigation":  # all that ends or cycles comes back to state 0
        w = found.allocation
        assert w[0].sum() == pytest.approx(w[0, 1] + w[1].sum())


@pytest.mark.parametrize(
    ("allocation", "message"),
    [
        (np.full((3, 2), 1 / 6), r"shape \(3, 2\); expected \[S, A\] = \(2, 2\)"),
        (np.full((2, 2), 0.2), "sum 0.8"),
        (np.array([[0.6, 0.6], [-0.1, -0.1]]), "minimum -0.1"),
        (np.full((2, 2), np.nan), "minimum nan"),
    ],
)
def test_allocations_that_are_none(riverswim, allocation, message, made):
    """Only distributions over the pairs are evaluated."""
    with pytest.raises(UsageError, match=message):
        made().evaluate(riverswim(2), allocation)


def test_unknown_constraint(riverswim, made):
    """The message lists the two that exist."""
    with pytest.raises(UsageError, match="expected 'generative' or 'navigation'"):
        made().solve(riverswim(2), "walking")


def test_weak_certificates_are_not_called_optimal():
    """A gap above 1e-9 is surfaced as inaccurate, with the numbers."""
    weak = Solution(
        value=2.0,
        allocation=np.ones((1, 1)),
        lower=1.9,
        residual=0.0,
        n_programmes=1,
        x=1.0,
        basis=None,
    )

    found = certified(weak, "test")

    assert found.status == "inaccurate"
    assert "relative gap 5.0e-02" in found.reason


def test_solving_prints_nothing(riverswim, capfd, made):
    """HiGHS greets on standard output unless told not to, which would spoil --json."""
    made().solve(riverswim(4), "navigation")

    assert capfd.readouterr() == ("", "")


def test_another_instance_is_planned_anew(riverswim, made):
    """One bound object serves several instances in turn."""
    bound = made()
    values = [bound.solve(riverswim(n)).value for n in (3, 5, 3)]

    assert values[0] == values[2] != values[1]


def test_conic_without_its_library(riverswim, monkeypatch, made):
    """The message says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "mfbpi_lib_convex", None)
    bound = made(method="conic")

    with pytest.raises(UsageError, match="needs the package mfbpi-lib-convex"):
        bound.solve(riverswim(3))


def test_thresholds_are_those_promised():
    """Certified to 1e-9, feasible to 1e-12."""
    assert (bounds.OPTIMAL_GAP, bounds.OPTIMAL_RESIDUAL) == (1e-9, 1e-12)
