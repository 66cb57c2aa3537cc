"""What compiled functions take again and again, unpacked once.

A call unpacks each array that it is given, some .2 microseconds a piece, and an update takes sixty
or more. ``hold(content)`` unpacks a tuple of them; what it returns takes a microsecond to hand
over, and compiled functions read its ``content``. The arrays stay in the memory that they are in.

What numba keeps on disk names its types, and is of no use to those for whom the module of one is
missing. So tuples of other packages' types are not kept here: :func:`hold` takes a second for them,
once in a process. A compiled function of such a package, which calls ``Holder``, is kept with it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from mfbpi_lib_torch.kernels.compiling import available, compiled

#: What :func:`hold` returns: its ``content`` can be read by compiled functions alone.
Held: TypeAlias = Any

#: What a tuple may hold for numba to name nothing of others: not what holds others' types itself,
#: nor an enumeration, nor a class that numba compiles.
_KNOWN = {np.ndarray, np.random.Generator, bool, int, float, str, type(None)}

#: Makes it, within compiled functions alone.
Holder: Any = None

if available():
    from numba.core import types
    from numba.experimental import structref

    @structref.register
    class _Type(types.StructRef):
        """The type of a holder, as numba sees it."""

    class _Holder(structref.StructRefProxy):
        """A holder, as Python sees it."""

    _define: Any = structref.define_proxy
    _define(_Holder, _Type, ["content"])
    Holder = _Holder


@compiled
def _hold_ours(content: Any) -> Held:
    return Holder(content)


def hold(content: Any) -> Held:
    """Unpack a tuple, whose arrays must neither be moved nor replaced afterwards."""
    return (_hold_ours if _is_ours(content) else _hold_others())(content)


def _is_ours(content: Any) -> bool:
    """Whether all the types that numba would name are of this package, numpy's or Python's."""
    if type(content) in _KNOWN or isinstance(content, np.generic):
        return True
    package, _, _ = type(content).__module__.partition(".")
    ours = package in (__name__.partition(".")[0], "builtins")
    return isinstance(content, tuple) and ours and all(map(_is_ours, content))


@functools.cache
def _hold_others() -> Callable[[Any], Held]:
    """The same, compiled in every process."""
    import numba

    made: Callable[[Any], Held] = numba.njit(_hold_ours.py_func)
    return made
