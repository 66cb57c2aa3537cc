"""The words of a file, one after the other, each with its line."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mfbpi_core.errors import UsageError


class Tokens:
    """A place in a list of words.

    Args:
        name: of the file, for messages.
        words: each with its line.
    """

    def __init__(self, name: str, words: list[tuple[str, int]]) -> None:
        self._name, self._words, self._next = name, words, 0

    def more(self) -> bool:
        """Whether there is another word."""
        return self._next < len(self._words)

    def peek(self) -> str:
        """The next word; empty at the end."""
        return self._words[self._next][0] if self.more() else ""

    def take(self) -> str:
        """The next word, which is passed."""
        if not self.more():
            raise self.error("the file ends; expected more")
        self._next += 1
        return self._words[self._next - 1][0]

    def expect(self, word: str) -> None:
        """Pass a word; raises :class:`UsageError` for another."""
        found = self.take()
        if found != word:
            raise self.error(f"{found!r}; expected {word!r}")

    def number(self) -> float:
        """The next word as a finite number."""
        return self.as_number(self.take())

    def as_number(self, word: str) -> float:
        """A word that was just passed as a finite number; raises :class:`UsageError`."""
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise self.error(f"{word!r}; expected a finite number")
        return number

    def until_key(self, keys: tuple[str, ...]) -> Iterator[str]:
        """The words up to the next ``key :``, ``start include :`` or the end.

        Raises:
            UsageError: for a colon among them, and with it for a key that is none.
        """
        while self.more() and not self._is_key(keys):
            word = self.take()
            if self.peek() == ":" != word:
                word = f"{word}:"
            if word.endswith(":"):
                raise self.error(f"{word!r}; expected one of {', '.join(keys)} before a colon")
            yield word

    def _is_key(self, keys: tuple[str, ...]) -> bool:
        after = [word for word, _ in self._words[self._next + 1 : self._next + 3]]
        if self.peek() == "start" and after[:1] in (["include"], ["exclude"]):
            return after[1:] == [":"]
        return self.peek() in keys and after[:1] == [":"]

    def error(self, said: str) -> UsageError:
        """An error at the word that was passed last."""
        place = max(self._next - 1, 0)
        line = self._words[place][1] if self._words else 1
        return UsageError(f"{self._name}, line {line}: {said}")
