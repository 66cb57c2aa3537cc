"""Independent named random streams from one seed; no global generator is ever touched."""

from __future__ import annotations

import zlib

import attrs
import numpy as np


@attrs.frozen
class Streams:
    """The random streams of one run.

    Each role has a stream of its own, so that what one part draws never shifts another: two
    agents with the same seed meet the same environment noise, and evaluating more often changes
    nothing.

    Attributes:
        seed: master seed, 0 or more.
    """

    seed: int

    def _sequence(self, role: str, *counters: int) -> np.random.SeedSequence:
        # CRC-32 is stable over processes and versions, unlike hash().
        key = (zlib.crc32(role.encode()), *counters)
        return np.random.SeedSequence(self.seed, spawn_key=key)

    def generator(self, role: str, *counters: int) -> np.random.Generator:
        """The generator of ``role`` (``"agent"``, ``"metric:t_visit"``, ...).

        ``counters`` select one of many generators of a role, such as one for each step at which
        an evaluation happens.
        """
        return np.random.default_rng(self._sequence(role, *counters))

    def integer(self, role: str) -> int:
        """A 32-bit number from the stream of ``role``, for interfaces that take a seed."""
        return int(self._sequence(role).generate_state(1)[0])
