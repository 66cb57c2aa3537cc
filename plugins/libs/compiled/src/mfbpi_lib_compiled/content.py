"""What a compiled function is made from: its code, and all values that it can reach.

numba writes functions and constants of other modules into the machine code, but looks at the file
of the function alone: with another version of a library, it would go on with the old one's rules.
So what is looked at here are the functions and values in memory, whatever file, patch or variable
of the environment they come from: they are what numba is about to compile.
"""

from __future__ import annotations

import dis
import enum
import functools
import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import config, types
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.core.sigutils import normalize_signature
from numba.np.ufunc.dufunc import DUFunc
from numba.np.ufunc.ufuncbuilder import UFuncDispatcher

#: Packages whose functions count by their names, as those of the standard library do.
KNOWN = {"builtins", "llvmlite", "numba", "numpy"}

#: What ``numba.extending.intrinsic`` makes.
_Intrinsic: Any = type(numba.extending.intrinsic(lambda _typing: None))

_STANDARD = Path(os.__file__).parent

#: Settings of numba's that machine code depends on.
_SETTINGS = ("BOUNDSCHECK", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE", "USING_SVML")

#: Values that their text tells all of.
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))

#: Of a class, what says nothing about what its functions do.
_ASIDE = {"__annotations__", "__dict__", "__doc__", "__weakref__", "_abc_impl"}

_ADDRESS = re.compile(r"0x[0-9a-f]+")


def digest(dispatcher: Any, signature: Any, processor: object) -> str:
    """A digest of a compiled function for a signature.

    Args:
        dispatcher: the function, as numba compiles it.
        signature: types of its arguments.
        processor: for what the machine code is.
    """
    cpu_target.typing_context.refresh()  # what was registered since
    content = Content()
    versions = numba.__version__, np.__version__, sys.version
    settings = tuple(str(getattr(config, name, None)) for name in _SETTINGS)
    for part in (*versions, *settings, str(processor), dispatcher):
        content.add(part)
    normalize: Any = normalize_signature
    arguments, returned = normalize(signature)
    for each in (*arguments, returned):
        content.add(each)
    return content.hexdigest()


class Content:
    """A digest of values, and of all that they refer to, each once: circles end."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._seen: dict[int, tuple[int, object]] = {}

    def hexdigest(self) -> str:
        """The digest of all that was added."""
        return self._hash.hexdigest()

    def add(self, value: Any) -> None:
        """Add a value."""
        if type(value) in _PLAIN:
            self._write(type(value).__name__, repr(value))
        elif id(value) in self._seen:
            self._write("again", str(self._seen[id(value)][0]))
        else:
            self._seen[id(value)] = len(self._seen), value  # kept alive: its id is its own
            self._write("new", type(value).__module__, type(value).__qualname__)
            self._add_new(value)

    def _add_new(self, value: Any) -> None:
        if isinstance(value, types.Type):
            self._add_type(value)
        elif isinstance(value, CodeType):
            self._add_code(value)
        elif isinstance(value, FunctionType):
            self._add_function(value)
        elif isinstance(value, type):
            self._add_class(value)
        elif isinstance(value, np.ndarray | np.generic):
            self._write(str(value.dtype.descr), str(value.shape), value.tobytes().hex())
            self._write(str(value.flags.f_contiguous), str(value.flags.c_contiguous))
        elif isinstance(value, np.dtype):
            self._write(str(value.descr), str(value.isalignedstruct))
        else:
            self._write(_name(value))
            self._add_all(_parts(value))

    def _add_all(self, values: Iterable[Any]) -> None:
        for each in values:
            self.add(each)

    def _add_code(self, code: CodeType) -> None:
        """Lines too: an error that compiled code raises names its line."""
        names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
        counts = code.co_argcount, code.co_kwonlyargcount, code.co_flags, code.co_firstlineno
        self._write(*map(str, (*names, *counts)))
        for part in (code.co_code, code.co_exceptiontable, code.co_linetable):
            self._write(part.hex())
        self._add_all(code.co_consts)

    def _add_function(self, function: FunctionType) -> None:
        self._write(_name(function))
        self._add_all(_overloads(function))
        if _is_known(function):
            return
        code, known = function.__code__, function.__globals__
        self._add_all((code, function.__defaults__, function.__kwdefaults__))
        cells = [_held(cell) for cell in function.__closure__ or ()]
        for value in (*(known.get(name) for name in _loaded(code)), *cells):
            self.add(value)
            if isinstance(value, ModuleType):
                self._add_module(value, _named(code), {id(value)})

    def _add_module(self, module: ModuleType, names: tuple[str, ...], above: set[int]) -> None:
        """What a function can mean by ``module.name``, and by ``module.other.name``."""
        for name in names:
            value = vars(module).get(name)
            self.add(value)
            if isinstance(value, ModuleType) and id(value) not in above and not _is_known(value):
                self._add_module(value, names, {*above, id(value)})

    def _add_class(self, kind: type) -> None:
        self._write(_name(kind))
        if not _is_known(kind):
            self._add_all(kind.__bases__)
            for name, value in sorted(vars(kind).items()):
                if name not in _ASIDE:
                    self._write(name)
                    self.add(value)

    def _add_type(self, kind: types.Type) -> None:
        """A type of numba's. Its text leaves out what the fields of a tuple are called."""
        self._write(_ADDRESS.sub("", str(kind)))
        for name in ("dispatcher", "instance_class", "instance_type", "dtype", "types"):
            part = getattr(kind, name, None)
            self._add_all(part if isinstance(part, tuple) else (part,))
        if isinstance(kind, types.StructRef):
            self._add_all(kind.field_dict.items())

    def _write(self, *texts: str) -> None:
        """Write texts, with their lengths: no two sequences are the same."""
        for text in texts:
            encoded = text.encode(errors="surrogatepass")
            self._hash.update(b"%d:" % len(encoded) + encoded)


def _parts(value: Any) -> Iterator[Any]:
    """What a value is made of; nothing of one that compiled code cannot know."""
    if isinstance(value, Dispatcher | UFuncDispatcher):
        yield from (value.py_func, value.targetoptions, value.locals)
    elif isinstance(value, DUFunc):
        vectorized: Any = value
        yield vectorized._dispatcher
    elif isinstance(value, _Intrinsic):
        yield value._defn
    elif isinstance(value, dict):
        yield from (part for item in value.items() for part in item)
    elif isinstance(value, set | frozenset):
        yield from sorted(value, key=repr)
    elif isinstance(value, tuple | list):
        yield getattr(value, "_fields", None)
        yield from value
    elif isinstance(value, slice | range):
        yield from (value.start, value.stop, value.step)
    elif isinstance(value, enum.Enum):
        yield from (value.name, value.value)
    elif isinstance(value, staticmethod | classmethod | MethodType):
        yield value.__func__
    elif isinstance(value, functools.partial):
        yield from (value.func, value.args, value.keywords)
    elif isinstance(value, property):
        yield value.fget
    elif callable(value):
        yield from _overloads(value)


def _overloads(function: Any) -> Iterator[Any]:
    """What ``numba.extending.overload`` has registered to compile in place of a function."""
    try:
        registered = cpu_target.typing_context._lookup_global(function)
    except TypeError:  # it has no hash
        return
    for template in getattr(registered, "templates", ()):
        yield getattr(template, "_overload_func", None)


def _name(value: Any) -> str:
    """What a value is called where it was defined."""
    if isinstance(value, ModuleType):
        return str(vars(value).get("__name__"))
    names = ("__module__", "__qualname__", "__name__") if callable(value) else ()
    return " ".join(str(getattr(value, name, "")) for name in names)


def _is_known(value: FunctionType | type | ModuleType) -> bool:
    """Whether it is of a package whose version tells all; one may be called as Python's own is."""
    name = value.__name__ if isinstance(value, ModuleType) else value.__module__
    top = str(name).partition(".")[0]
    if top not in sys.stdlib_module_names or top == "__main__":
        return top in KNOWN
    module = value if isinstance(value, ModuleType) else sys.modules.get(top)
    file = getattr(module, "__file__", None)
    return file is None or _STANDARD in Path(file).parents


def _held(cell: Any) -> Any:
    """What a cell of a closure holds, None before it holds anything."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


@functools.cache
def _loaded(code: CodeType) -> tuple[str, ...]:
    """The names that a function reads from its module, inner functions included."""
    own = {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return tuple(sorted(own.union(*map(_loaded, _inner(code)))))


@functools.cache
def _named(code: CodeType) -> tuple[str, ...]:
    """All names that a function mentions, such as attributes."""
    return tuple(sorted(set(code.co_names).union(*map(_named, _inner(code)))))


def _inner(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]
