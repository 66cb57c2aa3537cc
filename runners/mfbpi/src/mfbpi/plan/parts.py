"""What a value is made of: other values that tell all of it, as far as any can.

What a value keeps between calls and could build again is left out: what caches hold, how much was
drawn from a generator of random numbers, where an environment stands.
"""

from __future__ import annotations

import dis
import functools
import gc
import io
import random
import re
import sys
import threading
import types
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from mfbpi.plan import known

#: The generators of a whole process, which are nobody's.
_DRAWN: tuple[Any, ...] = random.random, np.random.rand
_OF_THE_PROCESS = tuple(draw.__self__ for draw in _DRAWN)

#: What an object has of its class or of a function that it wraps, and what says nothing.
_ASIDE = {"__doc__", "__module__", "__name__", "__qualname__", "__annotations__", "__weakref__"}

#: What writes down where an environment stands, anew for each episode, and draws for it.
_RUNNING = ("reset", "render", "close", "spec", "np_random", "sample", "seed")


def parts(value: Any) -> Iterator[Any]:
    """What a value is made of, its type first.

    Raises:
        Exception: any, where nothing tells what it holds.
    """
    yield type(value)
    foreign = _of_torch(value) or _of_gymnasium(value)
    yield from foreign if foreign is not None else _about(type(value)).tell(value)


class _Type(NamedTuple):
    """Of a type: how the parts of its values are told, and the names in ``__slots__``."""

    kind: type  # kept alive: its id is its own
    tell: Callable[[Any], Iterator[Any]]
    slots: list[tuple[str, Any]]


#: What is known of types, by their ids: metaclasses may make others equal.
_types: dict[int, _Type] = {}


def _about(kind: type) -> _Type:
    if id(kind) not in _types:
        _types[id(kind)] = _Type(kind, _teller(kind), _slots(kind))
    return _types[id(kind)]


def _teller(kind: type) -> Callable[[Any], Iterator[Any]]:
    """What tells the parts of the values of a type."""
    if kind.__module__.startswith("numba.typed."):
        return _of_typed
    return next((told for kinds, told in _TOLD if issubclass(kind, kinds)), _of_object)


def beside(value: Any) -> Iterator[Any]:
    """What a collection has beside its items: attributes, of a subclass of the user's too."""
    if type(value) not in (dict, list, tuple, set, frozenset):
        factory = value.default_factory if issubclass(type(value), defaultdict) else None
        yield from (factory, *_attributes(value))


def _attributes(value: Any) -> Iterator[Any]:
    """Names and values of what an object has itself, in whatever way it keeps them."""
    held = getattr(value, "__dict__", None)
    found = dict(held) if isinstance(held, dict) else {}
    for name, slot in _about(type(value)).slots:
        try:
            found[name] = slot.__get__(value)
        except AttributeError:  # not set
            continue
    for name in sorted(name for name in found if name not in _ASIDE):
        yield from (name, found[name])


def _slots(kind: type) -> list[tuple[str, Any]]:
    """The names in ``__slots__`` of a class and of those that it is derived from."""
    return [
        (name, held)
        for each in kind.__mro__
        if "__slots__" in vars(each)
        for name, held in vars(each).items()
        if isinstance(held, types.MemberDescriptorType)
    ]


def _of_mapping(value: Any) -> Iterator[Any]:
    """In its order, which code can see."""
    yield from (part for item in value.items() for part in item)
    yield from beside(value)


def _of_sequence(value: Any) -> Iterator[Any]:
    yield from value
    yield from beside(value)


def _of_property(value: Any) -> Iterator[Any]:
    yield from (value.fget, value.fset, value.fdel, *_attributes(value))


def _of_partial(value: Any) -> Iterator[Any]:
    yield from (value.func, value.args, value.keywords, *_attributes(value))


def _of_bound(value: Any) -> Iterator[Any]:
    """What is called, and of what it is a method; of a built-in function, its module."""
    yield getattr(value, "__func__", value.__qualname__)
    yield None if any(value.__self__ is each for each in _OF_THE_PROCESS) else value.__self__


def _of_ufunc(value: Any) -> Iterator[Any]:
    """The function behind one of ``numpy.frompyfunc`` shows nowhere else."""
    yield value.__name__
    yield from _referred(value)


def _of_bits(value: Any) -> Iterator[Any]:
    """What a generator was seeded with; where that is not kept, its state."""
    sequence = getattr(value, "seed_seq", None)
    yield value.state if sequence is None else sequence


def _of_generator(value: Any) -> Iterator[Any]:
    yield (
        None
        if value is _OF_THE_PROCESS[1]
        else getattr(value, "bit_generator", value._bit_generator)
    )


def _of_array(value: Any) -> Iterator[Any]:
    yield from (str(value.dtype.descr), value.shape, value.tolist(), *_attributes(value))


def _named(value: Any) -> Iterator[Any]:
    yield value.__qualname__


_TOLD: tuple[tuple[Any, Callable[[Any], Iterator[Any]]], ...] = (
    ((dict, types.MappingProxyType), _of_mapping),
    ((tuple, list), _of_sequence),
    ((staticmethod, classmethod), lambda value: iter((value.__func__,))),
    (property, _of_property),
    (functools.cached_property, lambda value: iter((value.func,))),
    ((functools.partial, functools.partialmethod), _of_partial),
    ((types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType), _of_bound),
    ((types.WrapperDescriptorType, types.MethodDescriptorType), _named),
    ((types.ClassMethodDescriptorType, types.GetSetDescriptorType), _named),
    (types.MemberDescriptorType, _named),
    (type(functools.cache(len)), _attributes),  # with __wrapped__, and nothing of what it holds
    (weakref.ref, lambda value: iter((value(),))),
    (memoryview, lambda value: iter((value.format, value.shape, value.tobytes()))),
    (re.Pattern, lambda value: iter((value.pattern, value.flags))),
    (np.ufunc, _of_ufunc),
    (np.ndarray, _of_array),
    (np.random.SeedSequence, lambda value: iter((value.entropy, value.spawn_key))),
    (np.random.BitGenerator, _of_bits),
    ((np.random.Generator, np.random.RandomState), _of_generator),
    # What holds nothing that decides what code does; files that are open are not seen.
    ((type(threading.Lock()), type(threading.RLock()), threading.local, io.IOBase), _attributes),
)


def _of_object(value: Any) -> Iterator[Any]:
    """Of an object of the user's, its attributes; of another, what a copy would be made of."""
    if value is _OF_THE_PROCESS[0]:
        return
    attributes = list(_attributes(value))
    compiled = _of_numba(dict(zip(attributes[::2], attributes[1::2], strict=True)))
    if compiled is not None:
        yield from compiled
        return
    if "__wrapped__" in attributes[::2] or not known.is_known_class(type(value)):
        yield from (*attributes, *_referred(value))
        if not _is_copied_otherwise(type(value)):
            return
    yield from _copied(value, attributes)


def _of_numba(held: dict[str, Any]) -> Iterator[Any] | None:
    """From what something compiled is made; None for what is not numba's."""
    for name in ("py_func", "_pyfunc"):  # of a function, and of a callback
        if isinstance(held.get(name), types.FunctionType):
            return iter((held[name], held.get("targetoptions"), repr(held.get("_sig"))))
    if "_lower_me" in held:  # of what numba.vectorize makes
        return iter((held["__wrapped__"],))
    if "jit_methods" in held:  # of a class
        names = ("jit_methods", "jit_props", "jit_static_methods")
        return iter((*(held.get(name) for name in names), repr(held.get("struct"))))
    return None


def _of_typed(value: Any) -> Iterator[Any]:
    """Of a dictionary or list of numba's, what it holds, wherever that lies."""
    yield from (repr(value._numba_type_), list(getattr(value, "items", value.__iter__)()))


def _is_copied_otherwise(kind: type) -> bool:
    """Whether it may hold more than attributes, such as a date or a number."""
    return any(
        name in vars(each)
        for each in kind.__mro__[:-1]
        for name in ("__reduce__", "__reduce_ex__", "__getnewargs__")
    )


def _copied(value: Any, attributes: list[Any]) -> Iterator[Any]:
    """What a copy would be made of, or else what the value refers to."""
    try:
        reduced = value.__reduce_ex__(2)
        made, arguments, *rest = (reduced, ()) if isinstance(reduced, str) else reduced
    except Exception:  # what cannot be copied
        held = [*attributes, *_referred(value)]
        if not held:
            raise
        yield from held
        return
    yield from (made, arguments)
    yield from (list(part) if isinstance(part, Iterator) else part for part in rest)


def _referred(value: Any) -> Iterator[Any]:
    """What a structure of C keeps, where nothing else tells: what a wrapper or a key calls."""
    return (each for each in gc.get_referents(value) if isinstance(each, types.FunctionType))


def _of_torch(value: Any) -> Iterator[Any] | None:
    """Of a tensor, its numbers; None for what is none."""
    torch: Any = sys.modules.get("torch")
    generator: Any = getattr(torch, "Generator", ())
    if isinstance(value, generator):
        return iter((value.initial_seed(),))
    tensor: Any = getattr(torch, "Tensor", ())
    if not isinstance(value, tensor):
        return None
    plain = value.detach().to_dense() if value.layout != torch.strided else value.detach()
    numbers = plain.cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)
    held = numbers.view(torch.uint8).numpy().tobytes()
    shape = str(value.dtype), tuple(value.shape), value.requires_grad
    return iter((*shape, held, *_attributes(value)))


def _of_gymnasium(value: Any) -> Iterator[Any] | None:
    """Of an environment or a space, what running it does not write; None for what is none."""
    gymnasium: Any = sys.modules.get("gymnasium")
    kinds = getattr(gymnasium, "Env", ()), getattr(gymnasium, "Space", ())
    if not isinstance(value, kinds):
        return None
    written: set[str] = set()
    for kind in type(value).__mro__:
        # What a step of the user's alone writes may last: what it begins with counts.
        stepping = ("step",) if known.is_known(kind.__module__) else ()
        for name in (*_RUNNING, *stepping):
            function = vars(kind).get(name)
            code = getattr(getattr(function, "fget", function), "__code__", None)
            steps = dis.get_instructions(code) if code else ()
            written |= {step.argval for step in steps if step.opname == "STORE_ATTR"}
    told = list(_attributes(value))
    pairs = zip(told[::2], told[1::2], strict=True)
    return (part for pair in pairs if pair[0] not in written for part in pair)
