"""What metrics return: converted where that is exact, else refused at the first measurement."""

import math

import numpy as np
import pytest

from mfbpi_core import Column
from mfbpi_core.data import exact
from mfbpi_core.errors import PluginError
from mfbpi_core.running.measurement import checked

COLUMNS = (Column(name="share", low=0.0, high=1.0), Column(name="steps", low=0.0))


@pytest.mark.parametrize(
    "value",
    [np.array(0.5), np.float32(0.5), np.float64(0.5), 0.5],
    ids=["without axes", "single", "double", "float"],
)
def test_numbers_of_numpy_become_floats(value):
    """Arrays without axes and numbers of any width are what they say."""
    found = checked("m", {"share": value}, COLUMNS)

    assert found == {"share": 0.5}
    assert type(found["share"]) is float


def test_integers_and_truth_values_become_floats():
    """Both are numbers exactly."""
    found = checked("m", {"share": np.True_, "steps": np.int64(3)}, COLUMNS)

    assert found == {"share": 1.0, "steps": 3.0}


@pytest.mark.parametrize(
    "value", [None, "0.5", np.array([0.5]), 0.5j, math.nan, math.inf, -math.inf, 1.5, -0.1, {}]
)
def test_all_else_is_refused(value):
    """Metric, column, what came and the range are named."""
    says = r"metric m returned share=.*; expected a finite number from 0 to 1, as its spec declares"

    with pytest.raises(PluginError, match=says) as caught:
        checked("m", {"share": value}, COLUMNS)

    assert exact.shown(value) in str(caught.value)


def test_rounding_leaves_no_range():
    """A billionth of the range more is still within it; twice that is not."""
    assert checked("m", {"share": 1.0 + 1e-12}, COLUMNS) == {"share": 1.0 + 1e-12}
    assert checked("m", {"steps": -1e-17}, COLUMNS) == {"steps": -1e-17}
    with pytest.raises(PluginError, match=r"share=1\.00000000"):
        checked("m", {"share": 1.0 + 2e-9}, COLUMNS)


@pytest.mark.parametrize("values", [None, 0.5, [0.5], "share", [("share", 0.5)]])
def test_what_is_no_dictionary_is_refused(values):
    """A single number has no column."""
    with pytest.raises(PluginError, match=r"metric m returned .*; expected a dictionary of numb"):
        checked("m", values, COLUMNS)


def test_unknown_columns_are_refused():
    """With those that are known."""
    with pytest.raises(PluginError, match=r"returned 'shares', which its spec lacks; .* share, st"):
        checked("m", {"shares": 0.5}, COLUMNS)


def test_limits_leave_room_for_rounding():
    """A billionth of the range; of one where a side is open; only finite numbers."""
    assert exact.limits(0.0, 1.0) == (-1e-9, 1.0 + 1e-9)
    assert exact.limits(0.0, 1e-6) == pytest.approx((-1e-15, 1e-6 + 1e-15), rel=1e-12)
    low, high = exact.limits(0.0, math.inf)
    assert (low, math.isfinite(high)) == (-1e-9, True)
    assert all(math.isfinite(limit) for limit in exact.limits(-math.inf, math.inf))
