"""What compiled functions take again and again, unpacked once.

A call unpacks each array that it is given, some .2 microseconds a piece, and an update takes sixty
or more. ``hold(content)`` unpacks a tuple of them; what it returns takes a microsecond to hand
over, and compiled functions read its ``content``. The arrays stay in the memory that they are in.

What numba keeps on disk names its types. A package that holds tuples of its own types does so in a
compiled function of its own, which calls ``Holder``: kept with this one, they would stop everybody
once that package is gone.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from mfbpi_lib_torch.kernels.compiling import available, compiled

#: What :func:`hold` returns: its ``content`` can be read by compiled functions alone.
Held: TypeAlias = Any

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
def hold(content: Any) -> Held:
    """Unpack a tuple, whose arrays must neither be moved nor replaced afterwards."""
    return Holder(content)
