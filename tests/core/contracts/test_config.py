"""Parameters: from text, from JSON, within their ranges."""

import json
from typing import Any, Literal

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mfbpi_core import NoConfig, parameter
from mfbpi_core.contracts.parameters import describe, from_dict, parse, setting, to_dict
from mfbpi_core.errors import ConfigError


@attrs.frozen(kw_only=True)
class Config:
    """One parameter of each type."""

    k: int = parameter(1, "order of the moment", ge=1, le=19, source="Theorem 3.2")
    rate: float = parameter(0.5, "learning rate", gt=0, lt=1)
    forced: bool = parameter(False, "force exploration")
    rule: str = parameter("mode", "recommendation", choices=("mode", "mean"))
    widths: tuple[int, ...] = parameter((32, 32), "hidden layers", ge=1)
    limit: int | None = parameter(None, "time limit", ge=1)
    name: str = parameter("x", "any text")


def test_scalars_of_numpy_become_numbers_of_python() -> None:
    """Wherever a ``Config`` is made, so that JSON holds what it has; ranges hold for them too."""

    @attrs.frozen(kw_only=True)
    class Counted:
        n: int = parameter(1, "a count", ge=1)
        x: float = parameter(1.0, "a number")
        several: tuple[int, ...] = parameter((), "counts")

    made = Counted(n=np.int64(6), x=np.float32(0.5), several=(np.int32(1), 2))

    assert to_dict(made) == {"n": 6, "x": 0.5, "several": [1, 2]}
    assert {type(v) for v in (made.n, made.x, *made.several)} == {int, float}
    with pytest.raises(ConfigError, match="n is 0; expected int >= 1"):
        Counted(n=np.int64(0))
    with pytest.raises(ConfigError, match=r"n is 1\.5; expected int"):
        Counted(n=np.float64(1.5))


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("k", "2", 2),
        ("k", "1e1", 10),
        ("rate", "1e-3", 0.001),
        ("rate", " .25 ", 0.25),
        ("forced", "true", True),
        ("forced", "No", False),
        ("rule", "mean", "mean"),
        ("widths", "50,50,50", (50, 50, 50)),
        ("widths", "8", (8,)),
        ("limit", "none", None),
        ("limit", "7", 7),
        ("name", "a=b, c", "a=b, c"),
    ],
)
def test_text_is_read(key, text, value):
    """Every type is read from what a person types."""
    read = getattr(parse(Config, {key: text}), key)

    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("key", "text", "says"),
    [
        ("k", "two", "parameter k is 'two'; expected int"),
        ("k", "1.5", "parameter k is '1.5'; expected int"),
        ("k", "0", "parameter k is 0; expected int >= 1, <= 19"),
        ("k", "20", "parameter k is 20; expected int >= 1, <= 19"),
        ("rate", "0", "parameter rate is 0.0; expected float > 0, < 1"),
        ("rate", "1", "parameter rate is 1.0; expected float > 0, < 1"),
        ("rate", "nan", "parameter rate is nan; expected float > 0, < 1"),
        ("rate", "", "parameter rate is ''; expected float"),
        ("forced", "maybe", "parameter forced is 'maybe'; expected bool"),
        ("rule", "median", "parameter rule is 'median'; expected one of mode | mean"),
        ("widths", "32,0", r"parameter widths is \(32, 0\); expected comma-separated ints >= 1"),
        ("widths", "32,", "parameter widths is '32,'; expected comma-separated ints"),
        ("limit", "0", "parameter limit is 0; expected int or none >= 1"),
        ("limit", "never", "parameter limit is 'never'; expected int or none"),
    ],
)
def test_text_is_refused(key, text, says):
    """The message says what was given and what is expected."""
    with pytest.raises(ConfigError, match=says):
        parse(Config, {key: text})


@pytest.mark.parametrize(
    ("key", "value"),
    [("k", True), ("k", 1.0), ("rate", "0.5"), ("widths", [32]), ("widths", (1.5,)), ("name", 3)],
)
def test_values_of_another_type_are_refused(key, value):
    """A boolean is no number, a float no integer, a list no tuple."""
    with pytest.raises(ConfigError, match=f"parameter {key} is"):
        Config(**{key: value})


def test_unknown_parameter():
    """The nearest name is offered, and all are listed."""
    with pytest.raises(ConfigError, match=r"'ratee'; did you mean rate\? parameters are: k, rate"):
        parse(Config, {"ratee": "1"})
    with pytest.raises(ConfigError, match=r"unknown parameter 'zzz'; parameters are: k"):
        from_dict(Config, {"zzz": 1})
    with pytest.raises(ConfigError, match="parameters are: none"):
        parse(NoConfig, {"k": "1"})


@given(
    st.builds(
        Config,
        k=st.integers(1, 19),
        rate=st.floats(0, 1, exclude_min=True, exclude_max=True),
        forced=st.booleans(),
        rule=st.sampled_from(["mode", "mean"]),
        widths=st.lists(st.integers(1, 999)).map(tuple),
        limit=st.none() | st.integers(1),
        name=st.text(),
    )
)
def test_json_round_trip(config):
    """A configuration survives JSON, whatever its values."""
    assert from_dict(Config, json.loads(json.dumps(to_dict(config)))) == config


def test_description():
    """Name, type, range, default, meaning and source, in the order of definition."""
    listed = describe(Config)

    assert [p.name for p in listed] == ["k", "rate", "forced", "rule", "widths", "limit", "name"]
    k, rate = listed[:2]
    assert (k.type, k.range, k.default, k.source) == ("int", ">= 1, <= 19", 1, "Theorem 3.2")
    assert (rate.range, rate.help) == ("> 0, < 1", "learning rate")
    assert [p.type for p in listed[4:6]] == ["comma-separated ints", "int or none"]
    assert listed[3].range == "mode | mean"


def test_configuration_is_frozen():
    """Nobody changes parameters during a run."""
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Config().k = 2


@attrs.frozen(kw_only=True)
class Settings:
    """Settings of a run."""

    mode: Literal["fast", "safe"] = setting("fast", "How.", metavar="MODE", expected="fast or safe")
    steps: int | None = setting(None, "How many.", metavar="N", expected="1 or more", ge=1)
    names: tuple[str, ...] = setting((), "Whose.", metavar="NAME", expected="a list of names")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"mode": "slow"}, "`mode` is 'slow'; expected fast or safe"),
        ({"steps": 0}, "`steps` is 0; expected 1 or more"),
        ({"steps": True}, "`steps` is True; expected 1 or more"),
        ({"names": ("a", 1)}, r"`names` is \('a', 1\); expected a list of names"),
    ],
)
def test_settings_are_checked_and_named_as_fields(wrong: dict[str, Any], message: str) -> None:
    """Type, choices and range, with the words that were declared."""
    with pytest.raises(ConfigError, match=message):
        Settings(**wrong)


def test_literals_are_read_from_text() -> None:
    """One of a few words."""
    assert parse(Settings, {"mode": "safe", "names": "a,b"}) == Settings(
        mode="safe", names=("a", "b")
    )


def test_integers_too_large_for_a_float_are_written_in_digits() -> None:
    """A float of 2**53 or more stands for several; where a float will do, it is one."""

    @attrs.frozen(kw_only=True)
    class Large:
        n: int = parameter(1, "an integer")
        x: int | float = parameter(1, "either")

    with pytest.raises(ConfigError, match=r"parameter n is '1e16'; .*write it as an integer"):
        parse(Large, {"n": "1e16"})
    assert parse(Large, {"n": "10000000000000001"}).n == 10**16 + 1
    assert parse(Large, {"x": "1e16"}).x == 1e16
