"""Schema and ranges: fields as they came from a file to a certificate with sound types."""

from __future__ import annotations

import math
import reprlib
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_lib_certificates.certificate import (
    ASSUMPTIONS,
    LARGEST_DISCOUNT,
    LEAST_RISK,
    BoolArray,
    Certificate,
    FloatArray,
    IntArray,
)
from mfbpi_lib_certificates.plain import Fields
from mfbpi_lib_certificates.report import RefusedError

#: Sums of counts up to here are exact.
LARGEST_COUNT = 2**53

#: Shows what was found instead of a field, however deeply nested.
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60

SCOPES = ("all", "visited", "initial")
LAWS = ("any", "deterministic")

#: No instance that a certificate can hold has more.
MOST = 1_000_000

#: Most places of a table of pairs by states: 2 GiB of numbers.
LARGEST_TABLE = 2**28

#: Rewards of other sizes overflow, or vanish, where they are multiplied by 1 / (1 - gamma).
LEAST_RANGE, MOST_RANGE = 1e-100, 1e100


def parsed(fields: Fields) -> Certificate:
    """The certificate of these fields.

    Raises:
        RefusedError: when one is missing, of the wrong type or shape, or out of its range.
    """
    expected = {field.name for field in attrs.fields(Certificate)} | {"schema", "arrays"}
    if set(fields) != expected:
        odd = ascii(", ".join(sorted(set(fields) ^ expected)))  # nothing that a terminal obeys
        raise RefusedError(f"fields that are missing or unknown: {odd}")
    of = _Reader(fields)
    n_states, n_actions = of.whole("n_states", 1, MOST), of.whole("n_actions", 1, MOST)
    n_pairs = n_states * n_actions
    if n_pairs * n_states > LARGEST_TABLE:
        raise RefusedError(
            f"{n_states} states and {n_actions} actions are more than can be verified: S^2 A may "
            f"be {LARGEST_TABLE} at most"
        )
    row_starts = of.integers("row_starts", (n_pairs + 1,))
    n_entries = int(row_starts[-1])
    law = of.word("reward_law", LAWS)
    known = of.floats("known_rewards", (n_entries,)) if law == LAWS[1] else None
    if known is None and fields["known_rewards"] is not None:
        raise RefusedError("`known_rewards` are given, but `reward_law` is 'any'")
    if fields["assumptions"] != list(ASSUMPTIONS):
        raise RefusedError("`assumptions` are not those on which the proof rests")
    return Certificate(
        rule=of.text("rule"),
        version=of.text("version"),
        parameters=of.mapping("parameters"),
        n_states=n_states,
        n_actions=n_actions,
        discount=of.discount("discount"),
        delta=of.risk("delta"),
        epsilon=of.at_least("epsilon", 0.0),
        scope=of.word("scope", SCOPES),
        reward_range=of.range("reward_range"),
        reward_law=law,
        may_end=of.flag("may_end"),
        terminal=of.flags("terminal", (n_states,)),
        start=of.integers("start", (n_states,)),
        cuts=of.whole("cuts", 0, LARGEST_COUNT),
        steps=of.whole("steps", 0, LARGEST_COUNT),
        row_starts=row_starts,
        outcomes=of.integers("outcomes", (n_entries,)),
        counts=of.integers("counts", (n_entries,)),
        rewards=of.floats("rewards", (n_states, n_actions)),
        known_rewards=known,
        identified=of.flag("identified"),
        reason=of.text("reason"),
        policy=of.integers("policy", (n_states,)),
        gap=of.floats("gap", (n_states,)),
        certified_gap=of.at_least("certified_gap", 0.0),
        delta_spent=of.between("delta_spent", 0.0, 1.0),
        witnesses=of.mapping("witnesses"),
        task=None if fields["task"] is None else of.mapping("task"),
        assumptions=ASSUMPTIONS,
    )


def array(value: object, name: str, shape: tuple[int, ...]) -> FloatArray:
    """A finite array of floats.

    Raises:
        RefusedError: when it is anything else.
    """
    found = _numbers(value, name, shape, "iuf").astype(np.float64)
    wrong = ~np.isfinite(found)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise RefusedError(f"`{name}` is {found[place]} at {place}; expected finite numbers")
    return found


def _numbers(value: object, name: str, shape: tuple[int, ...], kinds: str) -> npt.NDArray[Any]:
    try:
        found = np.asarray(value)
    except (ValueError, OverflowError):
        found = np.empty((), dtype=np.object_)
    if found.size == 0 and math.prod(shape) == 0:
        return np.zeros(shape)
    if found.dtype.kind not in kinds or found.shape != shape:
        raise RefusedError(f"`{name}` is {found.dtype} {found.shape}; expected numbers {shape}")
    # After the shape is known to be right: nothing is nested deeper than it says.
    if kinds != "b" and isinstance(value, list) and _has_flags(value):
        raise RefusedError(f"`{name}` holds true or false; expected numbers {shape}")
    return found


def _has_flags(values: list[Any]) -> bool:
    """Whether nested lists hold a flag, which numpy takes for 0 or 1 among numbers."""
    return any(
        _has_flags(each) if isinstance(each, list) else isinstance(each, bool) for each in values
    )


@attrs.frozen
class _Reader:
    """Fields by type."""

    fields: Fields

    def refuse(self, key: str, expected: str) -> RefusedError:
        shown = ascii(_SHORT.repr(self.fields[key]))[1:-1]
        return RefusedError(f"`{key}` is {shown[:60]}; expected {expected}")

    def text(self, key: str) -> str:
        if not isinstance(self.fields[key], str):
            raise self.refuse(key, "a text")
        return str(self.fields[key])

    def word(self, key: str, words: tuple[str, ...]) -> str:
        if self.text(key) not in words:
            raise self.refuse(key, f"one of {', '.join(words)}")
        return str(self.fields[key])

    def flag(self, key: str) -> bool:
        if not isinstance(self.fields[key], bool):
            raise self.refuse(key, "true or false")
        return bool(self.fields[key])

    def mapping(self, key: str) -> Fields:
        value = self.fields[key]
        if not isinstance(value, dict):
            raise self.refuse(key, "an object")
        return value

    def whole(self, key: str, least: int, most: int) -> int:
        value = self.fields[key]
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.refuse(key, f"a whole number from {least} to {most}")
        return value

    def number(self, key: str) -> float:
        value = self.fields[key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refuse(key, "a number")
        try:
            return float(value)
        except OverflowError:
            raise self.refuse(key, "a number that a float can hold") from None

    def between(self, key: str, low: float, high: float) -> float:
        if not low < self.number(key) < high:
            raise self.refuse(key, f"a number between {low:g} and {high:g}")
        return self.number(key)

    def risk(self, key: str) -> float:
        if not self.between(key, 0.0, 1.0) >= LEAST_RISK:
            raise self.refuse(key, f"at least {LEAST_RISK:g}; shares of less are no numbers")
        return self.number(key)

    def discount(self, key: str) -> float:
        if not self.between(key, 0.0, 1.0) <= LARGEST_DISCOUNT:
            raise self.refuse(key, "at most 1 - 1e-6; beyond, the tolerances prove nothing")
        return self.number(key)

    def at_least(self, key: str, low: float) -> float:
        if not low <= self.number(key) < math.inf:
            raise self.refuse(key, f"a finite number of {low:g} or more")
        return self.number(key)

    def range(self, key: str) -> tuple[float, float]:
        low, high = array(self.fields[key], key, (2,))
        if not low < high:
            raise self.refuse(key, "two numbers, the lower first")
        if not (high - low >= LEAST_RANGE and max(abs(low), abs(high)) <= MOST_RANGE):
            raise self.refuse(key, f"sizes from {LEAST_RANGE:g} to {MOST_RANGE:g}")
        return float(low), float(high)

    def floats(self, key: str, shape: tuple[int, ...]) -> FloatArray:
        return array(self.fields[key], key, shape)

    def integers(self, key: str, shape: tuple[int, ...]) -> IntArray:
        found = _numbers(self.fields[key], key, shape, "iu")
        if found.size and not (found.min() >= 0 and found.max() <= LARGEST_COUNT):
            raise self.refuse(key, "whole numbers from 0 to 2^53")
        return found.astype(np.int64)

    def flags(self, key: str, shape: tuple[int, ...]) -> BoolArray:
        return _numbers(self.fields[key], key, shape, "b").astype(np.bool_)
