"""Text of others: nothing in it acts on a terminal."""

from __future__ import annotations

import numpy as np
import pytest

from mfbpi_core.text import listed, one_line, visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("with symbols: \u2264 \u0394 \u4f60", "with symbols: \u2264 \u0394 \u4f60"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("a\nb\rc\td\x00\x7f", "a\\nb\\rc\\td\\x00\\x7f"),
        ("C1: \x9b31m", "C1: \\x9b31m"),
        ("admin\u202egpj\u2066\u200b\ufeff", "admin\\u202egpj\\u2066\\u200b\\ufeff"),
        ("line\u2028paragraph\u2029", "line\\u2028paragraph\\u2029"),
        ("half of a pair \ud800", "half of a pair \\ud800"),
        ("private \ue000 tag \U000e0041", "private \\ue000 tag \\U000e0041"),
        ("no\u00a0break", "no break"),
    ],
)
def test_what_would_act_is_made_visible(text: str, expected: str) -> None:
    """Escapes as in a literal of Python; letters and symbols of any script stay."""
    assert visible(text) == expected
    assert visible(text).isprintable()


def test_one_line_joins_lines() -> None:
    """Line breaks and indentation become spaces; what remains is made visible."""
    assert one_line("  one\n\n   two\x1b[0m ") == "one two\\x1b[0m"


def test_only_the_first_of_many_are_listed() -> None:
    """Ten by default, and how many there are; arrays and lists alike."""
    assert listed([]) == ""
    assert listed(np.arange(3)) == "0, 1, 2"
    assert listed(list(range(10))).endswith("8, 9")
    assert listed(np.arange(11)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ... (11 in all)"
    assert listed([(1, 2), (3, 4)], lambda pair: f"s={pair[0]}", most=1) == "s=1, ... (2 in all)"
