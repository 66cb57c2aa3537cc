"""torch, imported when it is first used: that takes some two seconds, and 200 MB of memory.

A run whose learning is compiled never uses it on x86 processors; on others it sets the flag that
makes denormals zero. Modules write ``from mfbpi_lib_torch.late import
torch`` and then as ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
else:

    class _Torch:
        """Stands for the module; what was asked for once is an attribute from then on."""

        def __getattr__(self, name: str) -> Any:
            import torch

            value = getattr(torch, name)
            setattr(self, name, value)
            return value

        def __reduce__(self) -> str:
            """Copied and pickled by its name, as a module is."""
            return "torch"

    torch = _Torch()

__all__ = ["torch"]
