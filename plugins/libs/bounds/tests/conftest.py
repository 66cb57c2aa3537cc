"""Small instances for the tests of this library, built from their definitions."""

from collections.abc import Callable

import pytest

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_bounds import planned
from mfbpi_lib_bounds.bound import SolverConfig, TabularBound
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_bounds.instance import PlannedInstance
from mfbpi_lib_bounds.planned import Quantities
from mfbpi_lib_tabular import testing


def _bound(mdp: TabularMDP, discount: float, kind: str) -> tuple[Coefficients, PlannedInstance]:
    """Coefficients of a bound by its name; u1 is u_k with k = 1."""
    instance = PlannedInstance(mdp=mdp, discount=discount)
    makers = {
        "u0": lambda: planned.u0(instance),
        "u1": lambda: planned.u_k(instance, 1),
        "u": lambda: planned.u(instance, 19),
        "u_tilde": lambda: planned.u_tilde(instance, 19),
    }
    return makers[kind](), instance


class _Variance(TabularBound):
    """The bound u_1."""

    def coefficients(self, of: Quantities) -> Coefficients:
        """Coefficients with the variance for the moment."""
        return planned.u_k(of, 1)


@pytest.fixture
def made() -> Callable[..., TabularBound]:
    """Builder of the bound u_1 from a discount, 0.9 if none is given."""
    return lambda discount=0.9, **solver: _Variance(discount, SolverConfig(**solver))


@pytest.fixture
def riverswim() -> Callable[..., TabularMDP]:
    """Builder of RiverSwim from its number of states."""
    return testing.riverswim


@pytest.fixture
def garnet() -> Callable[..., TabularMDP]:
    """Builder of random sparse instances."""
    return testing.garnet


@pytest.fixture
def bound() -> Callable[..., tuple[Coefficients, PlannedInstance]]:
    """Builder of the coefficients of u0, u, u1 or u_tilde, with the planned instance."""
    return _bound
