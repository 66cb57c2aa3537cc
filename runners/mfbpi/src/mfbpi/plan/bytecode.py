"""What the code of a function names: of its module, of others, and to import."""

from __future__ import annotations

import dis
import re
import types
from collections.abc import Iterable, Iterator

#: With these, a function finds by a text what others find by a name.
_BY_TEXT = {
    *("globals", "vars", "getattr", "eval", "exec", "compile"),
    *("attrgetter", "methodcaller", "modules", "__dict__"),
}

#: With these, it imports what a text names.
_IMPORTING = {"import_module", "__import__"}

#: A name in a text, and how long a text may be that is searched for any.
_NAME = re.compile(r"[^\W\d]\w*")
_LONG = 10_000

#: What a module knows of itself, which says where it lies and nothing of what it does.
_OF_THE_MODULE = {
    *("__file__", "__path__", "__cached__", "__spec__", "__loader__", "__doc__"),
    *("__builtins__", "__name__", "__package__"),
}


def loaded(code: types.CodeType) -> set[str]:
    """The names that a function reads from its module, also by its own texts."""
    reading = ("LOAD_GLOBAL", "LOAD_NAME")
    found = {str(step.argval) for step in _steps(code) if step.opname in reading}
    return (found | _named(code, _BY_TEXT, _constants(code))) - _OF_THE_MODULE


def loaded_by(texts: Iterable[str], code: types.CodeType) -> set[str]:
    """The names that it may read by texts that it has from elsewhere."""
    return _named(code, _BY_TEXT, texts) - _OF_THE_MODULE


def mentioned(code: types.CodeType) -> list[str]:
    """All names in it, such as those of attributes."""
    return sorted((_names(code) | _named(code, _BY_TEXT, _constants(code))) - _OF_THE_MODULE)


def imported(code: types.CodeType, texts: Iterable[str]) -> set[str]:
    """What a function imports when it is called, or may import by a text, its own or another."""
    found = {str(step.argval) for step in _steps(code) if step.opname == "IMPORT_NAME"}
    return found | _named(code, _IMPORTING, (*_constants(code), *texts))


def _steps(code: types.CodeType) -> Iterator[dis.Instruction]:
    return (step for part in _inner(code) for step in dis.get_instructions(part))


def _names(code: types.CodeType) -> set[str]:
    return {name for part in _inner(code) for name in part.co_names}


def _inner(code: types.CodeType) -> list[types.CodeType]:
    """The code itself and that of functions within it, comprehensions and lambdas too."""
    within = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return [code, *(each for part in within for each in _inner(part))]


def _constants(code: types.CodeType) -> Iterator[str]:
    """The texts in it."""
    constants = (each for part in _inner(code) for each in part.co_consts)
    return (each for each in constants if isinstance(each, str))


def _named(code: types.CodeType, by: set[str], texts: Iterable[str]) -> set[str]:
    """The names in texts, if it uses one of these functions."""
    if not _names(code) & by:
        return set()
    return {name for text in texts if len(text) <= _LONG for name in _NAME.findall(text)}
