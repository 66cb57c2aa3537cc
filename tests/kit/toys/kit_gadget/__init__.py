"""A seventh kind of plugin: one contract, one row, its check and its template."""

from abc import ABC, abstractmethod
from typing import Any

import attrs
import numpy as np

from mfbpi_core.plugins.factories import Factory
from mfbpi_core.plugins.kind import Fact, Kind, Scaffold
from mfbpi_core.plugins.spec import Spec
from mfbpi_core.testing.outcomes import require
from mfbpi_core.testing.subject import Subject


class Gadget(ABC):
    """Says a number. Built by ``factory(config, rng)``."""

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self.config = config
        self.rng = rng

    @abstractmethod
    def say(self) -> float:
        """The number."""


@attrs.frozen(kw_only=True)
class GadgetSpec(Spec):
    """A gadget, and how loud it is."""

    loudness: str = "quiet"


def numbers_are_finite(subject: Subject) -> None:
    """A gadget says finite numbers."""
    said = subject.made(rng=np.random.default_rng(0)).say()
    require(np.isfinite(said), f"it said {said}")


CHECKS = (numbers_are_finite,)

ROW = Kind(
    name="gadget",
    spec=GadgetSpec,
    factory=Factory(of="gadget", arguments=("config", "rng"), contract=Gadget),
    checks=("kit_gadget:CHECKS",),
    facts=(Fact("loudness", "loudness"),),
    scaffold=Scaffold(
        templates="kit_gadget:templates", module="gadget", use="mfbpi list gadget  # {name}"
    ),
)
