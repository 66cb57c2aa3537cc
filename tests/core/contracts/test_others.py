"""Keys that only the plugin knows: one field takes them all, and nobody sees that."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest

from mfbpi_core import others, parameter
from mfbpi_core.contracts import parameters as configs
from mfbpi_core.errors import ConfigError


@attrs.frozen(kw_only=True)
class Config:
    """One declared key, and any other."""

    size: int = parameter(3, "size", ge=1)
    rest: dict[str, Any] = others("whatever else")


def test_texts_become_values() -> None:
    """Words, numbers and JSON; all else stays a text. Declared keys keep their types."""
    given = {"size": "4", "a": "false", "b": "2", "c": "0.5", "d": "[1, 2]", "e": "8x8"}
    config = configs.parse(Config, given | {"f": "none", "g": "NaN"})
    assert config.size == 4
    assert config.rest == {
        "a": False,
        "b": 2,
        "c": 0.5,
        "d": [1, 2],
        "e": "8x8",
        "f": None,
        "g": "NaN",
    }


def test_other_keys_stand_beside_the_declared_ones() -> None:
    """As a dictionary the field is not seen, and JSON brings back the same configuration."""
    config = configs.parse(Config, {"a": "1"})
    values = configs.to_dict(config)
    assert values == {"size": 3, "a": 1}
    assert configs.from_dict(Config, json.loads(json.dumps(values))) == config


def test_declared_keys_are_still_checked() -> None:
    """A wrong value of one is an error; the field is shown as what it is."""
    with pytest.raises(ConfigError, match="size is 0"):
        configs.parse(Config, {"size": "0"})
    assert configs.describe(Config)[1].type == "any other key"
