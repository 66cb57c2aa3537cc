"""How an environment of Gymnasium is to be seen, checked."""

from __future__ import annotations

import attrs

from mfbpi_core.errors import ConfigError

#: What observations can be turned into.
KINDS = ("auto", "one_hot", "cells")

#: Rewards without known limits.
UNKNOWN = (float("-inf"), float("inf"))


@attrs.frozen(kw_only=True)
class Options:
    """The parameters of the plugin that do not concern ``gymnasium.make``; see its ``Config``."""

    observations: str
    cells: int
    low: tuple[float, ...] | None
    high: tuple[float, ...] | None
    reward_range: tuple[float, ...] | None
    reward_scale: float
    unreachable: str

    def scaled_range(self) -> tuple[float, float] | None:
        """The limits of what is paid here; None where they are not given."""
        if self.reward_range is None:
            return None
        low, high = self.reward_range
        return low * self.reward_scale, high * self.reward_scale


def checked(options: Options) -> Options:
    """The same options; raises :class:`ConfigError` for a range that is none."""
    limits = options.reward_range
    if limits is not None and (len(limits) != 2 or not limits[0] < limits[1]):
        raise ConfigError(
            f"parameter reward_range is {limits}; expected LOW,HIGH, of which the first is smaller"
        )
    if options.observations != "cells" and (options.low or options.high):
        raise ConfigError("low and high are the ends of a grid; expected observations=cells too")
    return options
