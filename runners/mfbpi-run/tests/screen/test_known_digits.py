"""What is shown of numbers that are known to a few digits, and ties that only exactness finds."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mfbpi_lib_tabular import testing
from mfbpi_lib_tabular.analysis.shown import known_digits

Command = Callable[..., Any]
WriteMDP = Callable[..., Path]


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.123456789, 1e-16, "0.123457"),
        (0.123456789, 1e-4, "0.123"),
        (1234.5, 60.0, "1e+03"),
        (3e-9, 1e-9, "below 4e-09"),
        (2e-30, 1e-28, "below 2e-28"),
        (9.96e-5, 2e-5, "below 2e-04"),
        (0.0, 0.0, "0"),
        (0.5, math.inf, "unknown"),
        (math.inf, 0.0, "inf"),
    ],
)
def test_only_known_digits_are_shown(value: float, error: float, text: str) -> None:
    """Six at most; where not one is known, an upper bound."""
    assert known_digits(value, error) == text


def test_frozen_lake_has_its_tie(mfbpi: Command, write_mdp: WriteMDP) -> None:
    """Gymnasium's map: left and right between two holes, a tie but for rounding, is named."""
    lake = testing.frozen_lake(["SFFF", "FHFH", "FFFH", "HFFG"])
    rewards = lake.transitions * (np.arange(16) == 15) * ~lake.terminal[:, None, None]
    file = write_mdp(P=lake.transitions, R=rewards, terminal=lake.terminal, initial=lake.initial)
    setting = ("--mdp", file, "--discount", "0.99")

    described = mfbpi("describe", *setting, "--json").json
    bound = mfbpi("bound", "--bound", "u", *setting)

    assert (described["ties"], described["unresolved"]) == ([[6, 2]], [])
    assert bound.code == 0
    assert "infinite: optimal policy not unique: tied pairs (s=6, a=2)" in bound.out
