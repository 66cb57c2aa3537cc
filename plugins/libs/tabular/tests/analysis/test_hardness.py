"""Measures of hardness against hand computations, published values and simulations of the walk."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from mfbpi_core import TabularMDP
from mfbpi_core.errors import ModelError, ModelWarning
from mfbpi_lib_tabular import testing
from mfbpi_lib_tabular.analysis import description, hardness, structure
from mfbpi_lib_tabular.solution import gaps, planning

FROZEN_LAKE = ["SFFF", "FHFH", "FFFH", "HFFG"]


def measured(mdp: TabularMDP, discount: float) -> hardness.Hardness:
    """The measures of an instance."""
    return hardness.measure(mdp, gaps.separate(mdp, planning.solve(mdp, discount), discount))


@pytest.mark.parametrize(
    ("mdp", "discount", "expected"),
    [
        (testing.riverswim(5), 0.95, (17.53086, 0.2243767, 0.03705398, 0.002611134, 17.66857)),
        (testing.riverswim(20), 0.99, (92.5, 0.2222222, 0.008547009, 8.943014e-12, 45.32796)),
        (
            testing.frozen_lake(FROZEN_LAKE),
            0.95,
            (40.90909, 0.07635468, 0.005586592, 0.007267311, 1023.626),
        ),
    ],
    ids=["riverswim5", "riverswim20", "lake"],
)
def test_measures_of_known_instances(
    mdp: TabularMDP, discount: float, expected: tuple[float, ...]
) -> None:
    """Diameter, rarest state and pair, uniform frequency and the sum of inverse gaps."""
    found = measured(mdp, discount)

    names = ("diameter", "rarest_state", "rarest_pair", "uniform_frequency", "inverse_gaps")
    values = [getattr(found, name).value for name in names]
    assert values == pytest.approx(expected, rel=5e-7)


def test_norm_and_span_of_the_values() -> None:
    """RiverSwim with 5 states at two discounts."""
    for discount, norm, span in ((0.95, 0.6079999, 3.066032), (0.99, 0.6469016, 3.7189)):
        found = measured(testing.riverswim(5), discount)

        assert found.value_norm.value == pytest.approx(norm, rel=5e-7)
        assert found.value_span.value == pytest.approx(span, rel=5e-7)


def test_by_hand() -> None:
    """Stay, or move on with probability 1/4: 4 steps one way, 8 the other way round a ring of 3."""
    move = np.roll(np.eye(3), 1, axis=1)
    p = np.stack([np.eye(3), 0.25 * move + 0.75 * np.eye(3)], axis=1)
    found = measured(TabularMDP.from_dense(p, np.eye(3)[:, :2]), 0.9)

    assert found.diameter.value == pytest.approx(8.0, rel=1e-12)
    assert found.rarest_state.value == pytest.approx(1.0)  # any state can be stayed in for ever
    assert found.rarest_pair.value == pytest.approx(1.0 / 6.0)
    assert found.uniform_frequency.value == pytest.approx(1.0 / 3.0)


def test_against_every_policy() -> None:
    """Random instances of 4 states: least time and largest frequency over all 16 policies."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        p = rng.dirichlet(np.full(4, 0.3), size=(4, 2))
        mdp = TabularMDP.from_dense(p, rng.random((4, 2)))
        found = measured(mdp, 0.9)

        times, frequencies = np.full((4, 4), np.inf), np.zeros(4)
        for policy in itertools.product(range(2), repeat=4):
            chain = p[np.arange(4), policy]
            for target in range(4):
                rest = np.delete(np.arange(4), target)
                system = np.eye(3) - chain[np.ix_(rest, rest)]
                times[rest, target] = np.minimum(
                    times[rest, target], np.linalg.solve(system, np.ones(3))
                )
            stationary = structure.stationary_distribution(mdp, np.array(policy))
            frequencies = np.maximum(frequencies, stationary)
        np.fill_diagonal(times, 0.0)
        assert found.diameter.value == pytest.approx(times.max(), rel=1e-9)
        assert found.rarest_state.value == pytest.approx(frequencies.min(), rel=1e-9)


def test_states_that_cannot_be_reached_again_make_the_diameter_infinite() -> None:
    """Two rooms, the second for ever: in the long run no policy visits the first."""
    p = np.array([[[0.5, 0.5]], [[0.0, 1.0]]])
    found = measured(TabularMDP.from_dense(p, np.zeros((2, 1))), 0.9)

    assert found.diameter.value == np.inf
    assert found.rarest_state.value == 0.0
    assert found.rarest_pair.value == pytest.approx(0.0, abs=1e-9)
    assert found.uniform_frequency.value == 0.0


def test_states_that_no_walk_visits_change_nothing() -> None:
    """Two states that can be left at will, and two others that only go round in each other."""
    stay, switch = np.eye(2), np.eye(2)[::-1]
    small = np.stack([stay, switch], axis=1)  # [2, 2, 2]
    large = np.zeros((4, 2, 4))
    large[:2, :, :2], large[2:, :, 2:] = small, small
    first = np.array([1.0, 0.0])
    alone = measured(TabularMDP.from_dense(small, np.zeros((2, 2)), initial=first), 0.9)
    beside = measured(
        TabularMDP.from_dense(large, np.zeros((4, 2)), initial=np.append(first, [0.0, 0.0])), 0.9
    )

    assert beside.uniform_frequency.value == pytest.approx(0.5)
    assert beside == alone


def test_large_instances_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a few targets say of RiverSwim is a bound, and here the value itself."""
    exact = measured(testing.riverswim(20), 0.95)
    monkeypatch.setattr(hardness, "EXACT_STATES", 10)
    bounded = measured(testing.riverswim(20), 0.95)

    assert bounded.diameter is not None
    assert bounded.rarest_state is not None
    assert bounded.diameter.sign == ">="
    assert bounded.rarest_state.sign == "<="
    assert bounded.diameter.value == pytest.approx(exact.diameter.value)
    assert bounded.rarest_state.value >= exact.rarest_state.value * (1.0 - 1e-12)
    assert bounded.rarest_pair is None

    monkeypatch.setattr(hardness, "BOUNDED_STATES", 10)
    assert measured(testing.riverswim(20), 0.95).diameter is None


def test_many_states_are_solved_sparsely() -> None:
    """Beyond the dense solver: RiverSwim's diameter grows by 5 a state."""
    few, many = (measured(testing.riverswim(n), 0.9).diameter for n in (150, 300))

    assert few is not None
    assert many is not None
    assert many.value - few.value == pytest.approx(5.0 * 150, rel=1e-9)
    assert many.error < 1e-6


def test_shown_with_the_other_quantities() -> None:
    """Among the lines of a description, with the digits that are known."""
    shown = repr(description.describe(testing.riverswim(5), 0.95))

    assert re.search(r"^diameter +17\.5309 ", shown, re.MULTILINE)


def test_no_walk_no_measures() -> None:
    """Every first state terminal."""
    with pytest.warns(ModelWarning):
        mdp = TabularMDP.from_dense(
            np.eye(2)[:, None, :], np.zeros((2, 1)), initial=[1.0, 0.0], terminal=[True, False]
        )
    with pytest.raises(ModelError, match="terminal"):
        measured(mdp, 0.9)
