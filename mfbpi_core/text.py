"""Text of others on its way to a terminal: what could act there is made visible instead."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from mfbpi_core.data.arrays import Array

if TYPE_CHECKING:
    pass

#: How many things a message names before it only counts them.
NAMED = 10


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


#: A longer message is cut: it is for people, and whoever wants all of it has the error's file.
_LONGEST_MESSAGE = 2_000


def said(error: BaseException) -> str:
    """The message of an exception that somebody raised: never very long, and never an error."""
    try:
        return shortened(str(error))
    except Exception:
        return "its message cannot be shown"


def described(error: BaseException) -> str:
    """Type and message of an exception that somebody raised, as :func:`said`."""
    try:
        return shortened(repr(error))
    except Exception:
        return f"{type(error).__qualname__}, whose message cannot be shown"


def shortened(text: str, longest: int = _LONGEST_MESSAGE) -> str:
    """The text, or its beginning and how long it was."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}... ({len(text):,} characters)"


def one_line(text: str) -> str:
    """The text on one line: line breaks and indentation become spaces, the rest is made visible."""
    return visible(" ".join(text.split()))


def did_you_mean(name: str, known: Iterable[str], alike: float = 0.6) -> str:
    """``"did you mean x? "``, or nothing when no known name is close.

    Args:
        name: what was given.
        known: what there is.
        alike: from 0 to 1, how much alike two names must be.
    """
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=alike)
    return f"did you mean {close[0]}? " if close else ""


def articled(noun: str) -> str:
    """The noun with its indefinite article: ``an agent``."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def listed(
    items: Sequence[Any] | Array, shown: Callable[[Any], str] = str, most: int = NAMED
) -> str:
    """The first of some things with commas between, and how many there are in all if not all.

    Args:
        items: what can be cut and counted: a list, an array.
        shown: what stands for one.
        most: how many are shown.
    """
    more = f", ... ({len(items)} in all)" if len(items) > most else ""
    return ", ".join(map(shown, items[:most])) + more
