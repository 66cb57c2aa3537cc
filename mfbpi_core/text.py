"""Text of others on its way to a terminal: what could act there is made visible instead."""

from __future__ import annotations

import unicodedata


def visible(text: str) -> str:
    """The text on one line, with what a terminal would obey, hide or reorder written as an escape.

    Line breaks, tabs, escape sequences, overrides of the writing direction, invisible characters
    and halves of surrogate pairs are written as Python writes them in a literal, such as a
    backslash and ``x1b``. Letters, symbols and spaces of any script stay.
    """
    if text.isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    if unicodedata.category(character) == "Zs":  # a space other than that of ASCII
        return " "
    return character.encode("unicode_escape").decode("ascii")


def one_line(text: str) -> str:
    """The text on one line: line breaks and indentation become spaces, the rest is made visible."""
    return visible(" ".join(text.split()))
