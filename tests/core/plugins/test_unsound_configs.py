"""Configurations of third parties of which no run could be made: refused by name, when loaded."""

import enum
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, NewType

import attrs
import pytest

from mfbpi_core import NoConfig, parameter
from mfbpi_core.contracts.parameters import describe, from_dict, others, parse
from mfbpi_core.errors import ConfigError, PluginError
from mfbpi_core.plugins.factories import check_config
from mfbpi_core.plugins.registry import Registry


class Colour(enum.Enum):
    """What no text stands for."""

    RED = 1


@attrs.frozen
class Inner:
    """A configuration in another."""

    x: int = 1


Number = NewType("Number", int)


def _typed(hint: object, default: object) -> type:
    """A ``Config`` with one parameter."""
    body = {"__annotations__": {"k": hint}, "k": parameter(default, "k")}
    return attrs.frozen(kw_only=True)(type("Config", (), body))


@pytest.mark.parametrize(
    ("hint", "default"),
    [
        (Any, 1),
        (list, []),
        (list[int], [1]),
        (dict, {}),
        (dict[str, int], {"a": 1}),
        (set, {1}),
        (tuple, (1, 2)),
        (tuple[int, str], (1, "a")),
        (tuple[tuple[int, ...], ...], ((1,),)),
        (Callable[[int], int], abs),
        (Number, 1),
        (Colour, Colour.RED),
        (Path, Path("/x")),
        (bytes, b"x"),
        (complex, 1j),
        (Inner, Inner()),
        (int | list[int], 1),
        (Literal[b"x"], b"x"),
    ],
)
def test_types_that_no_text_or_json_holds(hint, default):
    """They were tracebacks of isinstance, or lists of letters."""
    with pytest.raises(PluginError, match=r"k of a:Config is of type .*; expected int, float"):
        check_config("a:Config", _typed(hint, default))


@pytest.mark.parametrize(
    ("hint", "default"),
    [
        (int, 1),
        (float, 1),
        (bool, True),
        (str, "a"),
        (int | None, None),
        (Literal["a", 2], 2),
        (tuple[int, ...], (1, 2)),
        (tuple[float, float], (1.0, 2.0)),
        (tuple[float, ...] | None, None),
        (Annotated[int, "a number"], 1),
    ],
)
def test_types_that_can_be_read(hint, default):
    """They come back from text and from JSON."""
    made = _typed(hint, default)
    check_config("a:Config", made)
    assert from_dict(made, {"k": default}) == made()
    assert [p.default for p in describe(made)] == [default]


def test_types_that_cannot_be_resolved():
    """Such as those imported for type checkers alone."""
    with pytest.raises(PluginError, match="types of a:Config cannot be read"):
        check_config("a:Config", _typed("Nowhere", 1))


@attrs.frozen(kw_only=True)
class Untyped:
    """A field without a type."""

    k = attrs.field(default=1)


@attrs.frozen(kw_only=True)
class Derived:
    """A field that is not given."""

    k: int = attrs.field(default=1, init=False)


@attrs.frozen(kw_only=True)
class Private:
    """A field that is given under another name."""

    _k: int = parameter(1, "k")


@attrs.frozen(kw_only=True)
class Negative:
    """A default that its own validator refuses."""

    k: int = parameter(-1, "k", ge=0)


@attrs.frozen(kw_only=True)
class Raising:
    """A configuration that raises whatever it is given."""

    k: int = parameter(1, "k")

    def __attrs_post_init__(self) -> None:
        raise RuntimeError("never")


@attrs.frozen(kw_only=True)
class Huge:
    """A default that no float holds."""

    k: int = parameter(10**400, "k")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (Untyped, "k of a:Config has no type"),
        (Derived, "k of a:Config has init=False"),
        (Private, "_k of a:Config is called k where it is given"),
        (Negative, "refuses its own defaults: .*expected int >= 0"),
        (Raising, "refuses its own defaults: RuntimeError"),
        (Huge, "refuses its own defaults"),
    ],
)
def test_fields_that_no_worker_can_build_again(made, message):
    """The plugin is at fault, and is told what to write."""
    with pytest.raises(PluginError, match=message):
        check_config("a:Config", made)


@attrs.frozen(kw_only=True)
class Required:
    """A parameter that the user must give."""

    k: int = attrs.field()
    rest: dict[str, Any] = others("anything else")  # noqa: RUF009 - a field of attrs


def test_parameters_without_a_default_are_asked_for():
    """Named, where constructing the class would be a TypeError."""
    check_config("a:Config", Required)
    assert [p.default for p in describe(Required)] == ["required", ""]
    assert parse(Required, {"k": "3"}).k == 3
    for read in (parse, from_dict):
        with pytest.raises(ConfigError, match="parameter k has no default"):
            read(Required, {"z": "3"})


def test_factories_of_defaults_are_shown_by_what_they_make():
    """Not by their address in memory."""
    made = attrs.make_class("Config", {"k": attrs.field(factory=tuple, type=tuple)})
    assert [p.default for p in describe(made)] == [()]


def test_whole_numbers_beyond_all_floats_are_out_of_range():
    """They were an OverflowError."""
    with pytest.raises(ConfigError, match="expected int"):
        parse(_typed(int, 1), {"k": "9" * 400})


def test_no_config_is_sound():
    """The default of every spec."""
    check_config("mfbpi_core:NoConfig", NoConfig)


class SkippedError(BaseException):
    """As test tools skip: no subclass of Exception."""


@pytest.mark.parametrize("error", [SkippedError("no torch"), GeneratorExit(), SystemExit(3)])
def test_a_plugin_that_raises_no_exception_is_a_problem_of_its_own(error):
    """``pytest.importorskip`` at the head of a plugin took all others down with it."""

    def load() -> object:
        raise error

    registry = Registry()
    registry.add("theirs", "1.0", "theirs", load)
    assert [(p.distribution, p.stage, p.error) for p in registry.problems] == [
        ("theirs", "import", error)
    ]


def test_interrupting_is_left_to_the_user():
    """Control-C while plugins load ends the command."""

    def load() -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Registry().add("theirs", "1.0", "theirs", load)
