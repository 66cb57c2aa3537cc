"""The command line of mfbpi: runs grids of agents, environments and seeds."""

from typing import Any


def __getattr__(name: str) -> Any:
    """``__version__``, from the metadata of the distribution, when it is asked for."""
    if name == "__version__":
        from importlib.metadata import version

        return version("mfbpi-run")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
