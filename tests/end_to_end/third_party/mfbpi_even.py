"""A third party's bound, which uses nothing but the core: the largest 1 / w, times a scale."""

from collections.abc import Iterator

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import (
    Bound,
    BoundSolution,
    BoundSpec,
    Constraint,
    TabularMDP,
    hookimpl,
    parameter,
)


@attrs.frozen(kw_only=True)
class Config:
    """Parameters."""

    k: int = parameter(1, "the scale", ge=1)


class Even(Bound[Config]):
    """Least, among all allocations, where every pair gets as much as any other."""

    def evaluate(self, mdp: TabularMDP, allocation: npt.NDArray[np.float64]) -> float:
        """Infinite where a pair is left out."""
        with np.errstate(divide="ignore"):
            return self.config.k * float((1.0 / allocation).max())

    def solve(self, mdp: TabularMDP, constraint: Constraint = "generative") -> BoundSolution:
        """Even weights, as if walks could follow any."""
        even = np.full((mdp.n_states, mdp.n_actions), 1.0 / (mdp.n_states * mdp.n_actions))
        return BoundSolution(
            value=self.evaluate(mdp, even),
            allocation=even,
            status="optimal",
            relative_gap=0.0,
            residual=1.0,  # of whatever walk
            solver="by hand",
        )


@hookimpl
def mfbpi_bounds() -> Iterator[BoundSpec]:
    """Yield the bound."""
    yield BoundSpec(name="even", factory="mfbpi_even:Even", config="mfbpi_even:Config")
