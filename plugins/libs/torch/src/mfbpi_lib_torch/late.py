"""torch, imported when it is first used: that takes some two seconds, and 200 MB of memory.

A run whose learning is compiled never uses it. Modules write ``from mfbpi_lib_torch.late import
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

    torch = _Torch()

__all__ = ["torch"]
