"""The last measurement of each run."""

from mfbpi_lib_statistics.latest import latest


def test_largest_step_of_each_key_in_the_order_of_keys():
    """Rows may come in any order; keys stay in that of their first row."""
    rows = [("b", 5, 0.75), ("a", 9, 0.5), ("b", 0, 1.0), ("a", 3, 0.25)]

    assert list(latest(rows).items()) == [("b", (5, 0.75)), ("a", (9, 0.5))]


def test_later_row_of_one_step():
    """What was measured again at the same step replaces what was there."""
    assert latest([("a", 9, 1.0), ("a", 9, 0.0)]) == {"a": (9, 0.0)}
