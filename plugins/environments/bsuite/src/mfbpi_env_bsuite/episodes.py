"""The longest episode of each problem of bsuite, which bsuite itself does not tell."""

from __future__ import annotations

from collections.abc import Callable

from mfbpi_core.errors import PluginError
from mfbpi_lib_bsuite.raw import Raw, layers


def _cartpole(raw: Raw) -> int:
    """Steps until the clock, advanced as bsuite does, is beyond the time limit."""
    elapsed, steps = 0.0, 0
    while not elapsed > raw._max_time:
        elapsed += raw._timescale
        steps += 1
    return steps


#: By the name of bsuite's class.
_LONGEST: dict[str, Callable[[Raw], int]] = {
    "SimpleBandit": lambda raw: 1,  # noqa: ARG005
    "MNISTBandit": lambda raw: 1,  # noqa: ARG005
    "Catch": lambda raw: raw._rows - 1,
    "DeepSea": lambda raw: raw._size,
    "DiscountingChain": lambda raw: raw._episode_len,
    "MemoryChain": lambda raw: raw._memory_length + 1,
    "MountainCar": lambda raw: raw._max_steps,
    "UmbrellaChain": lambda raw: raw._chain_length,
    "Cartpole": _cartpole,
    "CartpoleSwingup": _cartpole,
}


def longest_episode(raw: Raw) -> int:
    """Steps after which every episode has ended.

    Raises:
        PluginError: for a class that this version of the plugin does not know.
    """
    innermost = layers(raw)[0]
    name = type(innermost).__name__
    if name not in _LONGEST:
        raise PluginError(
            f"mfbpi-env-bsuite does not know how long episodes of bsuite's {name} can be; it knows "
            f"{', '.join(_LONGEST)} (upgrade it, or install bsuite 0.3.6)"
        )
    return int(_LONGEST[name](innermost))
