"""Stopping times over seeds: runs that did not stop are counted, and never averaged."""

import numpy as np

from mfbpi.results.stops import End, Stops
from mfbpi_lib_statistics.survival import kaplan_meier


def ends(*pairs: tuple[int, bool]) -> list[End]:
    """The ends of runs."""
    return [End(step, stopped) for step, stopped in pairs]


def test_kaplan_meier_by_hand() -> None:
    """Five runs, the second censored: 4/5, then 4/5 * 2/3, then a half of that, then 0."""
    times, share = kaplan_meier([10, 15, 20, 30, 40], [True, False, True, True, True])

    assert times.tolist() == [10, 20, 30, 40]
    np.testing.assert_allclose(share, [4 / 5, 8 / 15, 4 / 15, 0.0], atol=1e-15)


def test_median_without_censoring_is_the_median() -> None:
    """The least step by which half of the runs have stopped."""
    found = Stops.among("a", "e", ends((10, True), (20, True), (30, True)))

    assert (found.median, found.stopped, found.n) == (20, 3, 3)
    assert str(found) == "a on e: stopped 3 of 3 runs, median stopping time 20"


def test_half_of_the_runs_is_half() -> None:
    """Four runs of which two stop: 3/4 * 2/3 is one half, however it rounds."""
    found = Stops.among("a", "e", ends((10, True), (20, True), (99, False), (99, False)))

    assert found.median == 20


def test_median_may_not_be_reached() -> None:
    """With more than half of the runs at their horizon there is none, nor with all of them."""
    some = Stops.among("a", "e", ends((10, True), (99, False), (99, False)))
    none = Stops.among("a", "e", ends((99, False)))

    assert str(some) == "a on e: stopped 1 of 3 runs, median stopping time not reached"
    assert (none.median, none.stopped, none.n) == (None, 0, 1)


def test_gap_of_the_runs_that_did_not_stop() -> None:
    """Those that stopped have no part in it."""
    found = Stops.among("a", "e", [End(10, True, 0.0), End(99, False, 2.0), End(99, False, 4.0)])

    assert str(found).endswith("not reached; certified gap at the horizon 3")
