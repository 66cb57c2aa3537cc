"""What identifies the content of a class: equal code and constants give equal digits."""

from __future__ import annotations

import functools
import hashlib
import marshal
import types
from collections.abc import Iterator

#: Digits of the hash in names.
_DIGITS = 16

#: Values of a class that say what it does, beside its functions.
_PLAIN = (bool, int, float, str, bytes, tuple, frozenset)


def digest(content: bytes) -> str:
    """The digits that stand for some content."""
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


def definition(defined: type, base: type) -> bytes:
    """What a class does: its functions and constants, and those that it inherits, below a base."""
    classes = defined.__mro__[: defined.__mro__.index(base)]
    members = [item for each in classes for item in vars(each).items()]
    # Version 2 of the format depends on the values alone.
    codes = [
        marshal.dumps(_without_place(function.__code__), 2)
        for _, member in members
        for function in _functions(member)
    ]
    constants = [
        f"{name}={value!r}".encode()
        for name, value in members
        if isinstance(value, _PLAIN) and not name.startswith("__")
    ]
    return b"".join([defined.__name__.encode(), *codes, *constants])


def _functions(member: object) -> Iterator[types.FunctionType]:
    """The functions behind a member of a class."""
    if isinstance(member, staticmethod | classmethod):
        member = member.__func__
    elif isinstance(member, functools.cached_property):
        member = member.func
    behind = (member.fget, member.fset) if isinstance(member, property) else (member,)
    yield from (each for each in behind if isinstance(each, types.FunctionType))


def _without_place(code: types.CodeType) -> types.CodeType:
    """The code without its file and its lines, which differ between runs of one notebook."""
    constants = tuple(
        _without_place(each) if isinstance(each, types.CodeType) else each
        for each in code.co_consts
    )
    return code.replace(co_filename="", co_firstlineno=1, co_linetable=b"", co_consts=constants)
