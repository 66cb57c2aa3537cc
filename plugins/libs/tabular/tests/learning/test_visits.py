from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mfbpi_core import Cells, NoConfig, Problem, Transition, Transitions
from mfbpi_core.errors import PluginError, RequirementError
from mfbpi_lib_tabular.learning.visits import VisitMetric, Visits, normalised_entropy
from mfbpi_lib_tabular.testing import Scene, advised, in_rooms, measure_after

PROBLEM = Problem(n_states=None, n_actions=1, observation_shape=(1,), discount=0.9, horizon=100)


#: Positions in [0, 1], in four cells of equal length of which the last is out of reach.
QUARTERS = Cells(
    count=4,
    index=lambda positions: (positions[:, 0] * 4).astype(np.int64),
    reachable=np.array([True, True, True, False]),
)


class Total(VisitMetric):
    """The number of visits."""

    def describe(self, visits: Visits) -> dict[str, float]:
        """One column."""
        return {"total": float(visits.counts.sum())}


def make(cells: Cells | None = QUARTERS) -> Total:
    """The metric on the line."""
    return Total(PROBLEM, Scene(cells=cells), NoConfig(), np.random.default_rng(0))


def steps(start: int, positions: list[float]) -> Transitions:
    """Consecutive steps at these positions; each ends in a place that was never acted in."""
    elsewhere = np.array([0.99])
    return Transitions.from_steps(
        start, [Transition(np.array([x]), 0, 0.0, elsewhere) for x in positions]
    )


def test_counts_and_last_visits() -> None:
    """Steps 1 to 6 in cells 2, 0, 2, 2, 0, 1."""
    visits = Visits(4)

    visits.observe([2, 0, 2])
    visits.observe(np.array([2, 0, 1], dtype=np.int32))

    assert visits.counts.tolist() == [2, 1, 3, 0]
    assert visits.last.tolist() == [5, 6, 4, 0]
    assert visits.total == 6


@given(st.lists(st.integers(0, 4), max_size=60), st.integers(0, 60))
def test_chunks_do_not_matter(cells: list[int], cut: int) -> None:
    """Cut anywhere, the counts and times are those of a walk through the steps one by one."""
    visits = Visits(5)
    visits.observe(np.array(cells[:cut], dtype=np.int64))
    visits.observe(np.array(cells[cut:], dtype=np.int64))

    last = dict(zip(cells, range(1, len(cells) + 1), strict=True))
    assert visits.counts.tolist() == [cells.count(c) for c in range(5)]
    assert visits.last.tolist() == [last.get(c, 0) for c in range(5)]
    assert visits.counts.sum() == visits.total == len(cells)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([0, 4], "maps to cell 4; expected 0 to 3"),
        ([0, -1], "maps to cell -1; expected 0 to 3"),
        ([0, 3], "cell 3 was visited, but the environment declares it unreachable"),
        ([0.0, 1.0], r"float64 of shape \(2,\); expected one integer for each observation"),
        ([[0, 1]], r"int64 of shape \(1, 2\); expected one integer for each observation"),
    ],
)
def test_wrong_cells_are_refused(cells: Any, message: str) -> None:
    """A number that is no cell is an error of the environment, and nothing is counted."""
    visits = Visits(4, [True, True, True, False])

    with pytest.raises(PluginError, match=message):
        visits.observe(cells)

    assert visits.total == visits.counts.sum() == visits.last.sum() == 0


@pytest.mark.parametrize("reachable", [[True, False], [False] * 3, [0, 1, 1]])
def test_wrong_masks_are_refused(reachable: Any) -> None:
    """The reachable cells are a mask over all of them, with one at least."""
    with pytest.raises(PluginError, match=r"expected a boolean mask of shape \(3,\)"):
        Visits(3, reachable)


@pytest.mark.parametrize(
    ("weights", "n_cells", "expected"),
    [
        ([1, 1, 1, 1], 4, 1.0),
        ([7, 7], 4, 0.5),
        ([5, 0, 0], 3, 0.0),
        ([1, 3, 0, 0], 4, (0.25 * math.log(4) + 0.75 * math.log(4 / 3)) / math.log(4)),
        ([9], 1, 1.0),
    ],
)
def test_entropy(weights: list[int], n_cells: int, expected: float) -> None:
    """Even, half the cells, one cell, uneven, and the single cell that is 1 by definition."""
    entropy = normalised_entropy(weights, n_cells)

    assert entropy == pytest.approx(expected, abs=1e-15)
    assert math.copysign(1.0, entropy) == 1.0


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=50).filter(any), st.integers(1, 9))
def test_entropy_stays_in_range(weights: list[int], factor: int) -> None:
    """It lies in [0, 1] whatever the weights, and does not depend on their scale or order."""
    entropy = normalised_entropy(weights, len(weights))

    assert 0.0 <= entropy <= 1.0
    scaled = normalised_entropy([factor * w for w in reversed(weights)], len(weights))
    assert scaled == pytest.approx(entropy, abs=1e-12)


@pytest.mark.parametrize(("weights", "n_cells"), [([0, 0], 2), ([], 2), ([1, 1, 1], 2)])
def test_entropy_of_nothing(weights: list[int], n_cells: int) -> None:
    """No weight, or more cells than there are, has no entropy."""
    with pytest.raises(ValueError, match=f"expected 1 to {n_cells}"):
        normalised_entropy(weights, n_cells)


def test_metric_counts_where_actions_are_taken() -> None:
    """Observations count, next observations do not."""
    metric = make()
    metric.observe(steps(0, [0.1, 0.6, 0.2]))

    assert metric.visits.counts.tolist() == [2, 0, 1, 0]
    assert metric.visits.last.tolist() == [3, 0, 2, 0]
    assert metric.visits.n_reachable == 3
    assert metric.measure(advised(PROBLEM, step=3)) == {"total": 3.0}


def test_a_chunk_is_counted_once_for_all_metrics() -> None:
    """Metrics that share an environment share its cells and the counts of a chunk."""
    asked = []

    def index(positions: Any) -> Any:
        asked.append(len(positions))
        return QUARTERS.index(positions)

    where = Scene(cells=Cells(count=4, index=index))
    first, second = (Total(PROBLEM, where, NoConfig(), np.random.default_rng(0)) for _ in "12")

    for chunk in (steps(0, [0.1, 0.6]), steps(2, [0.3])):
        for metric in (first, second):
            metric.observe(chunk)

    assert asked == [2, 1]
    assert first.visits.counts.tolist() == second.visits.counts.tolist() == [1, 1, 1, 0]
    assert first.visits.last.tolist() == second.visits.last.tolist() == [1, 3, 2, 0]


def test_metric_measures_nothing_before_the_first_step() -> None:
    """At step 0 the columns do not apply."""
    assert make().measure(advised(PROBLEM, step=0)) == {}


def test_metric_in_rooms() -> None:
    """What tests of plugins build: three rooms within reach, visited by integer observations."""
    metric = in_rooms(Total)

    assert measure_after(metric, []) == {}
    assert measure_after(metric, [0, 2, 2]) == {"total": 3.0}
    assert metric.visits.reachable.tolist() == [True, True, True, False]


def test_metric_resumes_from_its_state() -> None:
    """A state is a copy: loading it later goes on from there, whatever happened since."""
    metric, other = make(), make()
    metric.observe(steps(0, [0.1, 0.6]))
    state = metric.state_dict()
    metric.observe(steps(2, [0.3]))

    other.load_state_dict(state)
    other.observe(steps(2, [0.3]))
    metric.observe(steps(3, [0.1]))

    assert other.visits.counts.tolist() == [1, 1, 1, 0]
    assert other.visits.last.tolist() == [1, 3, 2, 0]
    assert (other.visits.total, state["total"]) == (3, 2)


def test_metric_needs_cells() -> None:
    """Without a partition there is nothing to count over."""
    with pytest.raises(RequirementError, match="Scene declares no cells; expected"):
        make(None)


def test_memory_does_not_grow_with_the_steps() -> None:
    """What is kept after many steps is what was kept after few."""
    metric = make()
    metric.observe(steps(0, [0.1] * 5))
    few = {name: np.asarray(value).nbytes for name, value in metric.state_dict().items()}
    for chunk in range(40):
        metric.observe(steps(5 + 50 * chunk, [0.1, 0.3] * 25))

    many = {name: np.asarray(value).nbytes for name, value in metric.state_dict().items()}
    assert few == many


@pytest.mark.parametrize("module", ["learning.visits", "testing"])
def test_import_is_light(module: str) -> None:
    """Counting visits needs neither a compiler nor a solver, nor do the instances for tests."""
    code = (
        f"import sys, mfbpi_lib_tabular.{module}\n"
        "print([m for m in ('numba', 'scipy', 'pandas', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
