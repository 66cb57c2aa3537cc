"""Tables for people: what files of others call things does not act on a terminal."""

from __future__ import annotations

from mfbpi.results.summary_text import plain


def test_labels_and_notes_are_made_visible() -> None:
    """Escape sequences and line breaks are written out, and columns stay columns."""
    shown = plain(("agent", "n"), [("a\x1b[2J\nb", 1), ("c", 2)], ["note \x1b]0;t\x07\nmore"])

    assert shown.splitlines() == [
        "agent        n",
        r"a\x1b[2J\nb  1",
        "c            2",
        r"note \x1b]0;t\x07\nmore",
    ]
