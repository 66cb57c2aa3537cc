"""What the code of a function names: of its module, of others, and to import."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator

#: With these, a function finds by a text what others find by a name.
_BY_TEXT = {"globals", "vars", "getattr", "eval", "exec", "attrgetter", "__dict__"}

#: What a module knows of itself, which says where it lies and nothing of what it does.
_OF_THE_MODULE = {
    *("__file__", "__path__", "__cached__", "__spec__", "__loader__", "__doc__"),
    *("__builtins__", "__name__", "__package__"),
}


def loaded(code: types.CodeType) -> list[str]:
    """The names that a function reads from its module."""
    reading = ("LOAD_GLOBAL", "LOAD_NAME")
    found = {str(step.argval) for step in _steps(code) if step.opname in reading}
    return sorted((found | _texts(code, found)) - _OF_THE_MODULE)


def mentioned(code: types.CodeType) -> list[str]:
    """All names in it, such as those of attributes."""
    found = {name for part in _inner(code) for name in part.co_names}
    return sorted((found | _texts(code, found)) - _OF_THE_MODULE)


def imported(code: types.CodeType) -> set[str]:
    """What a function imports when it is called."""
    return {str(step.argval) for step in _steps(code) if step.opname == "IMPORT_NAME"}


def _steps(code: types.CodeType) -> Iterator[dis.Instruction]:
    return (step for part in _inner(code) for step in dis.get_instructions(part))


def _inner(code: types.CodeType) -> list[types.CodeType]:
    """The code itself and that of functions within it, comprehensions and lambdas too."""
    within = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return [code, *(each for part in within for each in _inner(part))]


def _texts(code: types.CodeType, names: set[str]) -> set[str]:
    """What may be a name among its texts, where it finds anything by a text."""
    if not names & _BY_TEXT:
        return set()
    constants = (each for part in _inner(code) for each in part.co_consts)
    return {each for each in constants if isinstance(each, str) and each.isidentifier()}
