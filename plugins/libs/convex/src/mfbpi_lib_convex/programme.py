"""Running a cvxpy problem so that what comes back can be trusted, or is an error."""

from __future__ import annotations

import warnings
from importlib import metadata

import cvxpy as cp
import numpy as np
import numpy.typing as npt

from mfbpi_core.errors import ConfigError, SolverError

#: The solver that comes with this library.
DEFAULT_SOLVER = "CLARABEL"

#: Statuses that come with a solution; the second is for the caller to pass on.
SOLVED = (cp.OPTIMAL, cp.OPTIMAL_INACCURATE)


def solve(problem: cp.Problem, solver: str = DEFAULT_SOLVER) -> str:
    """Solve a problem in place.

    Args:
        problem: a convex problem.
        solver: name of an installed solver, as cvxpy spells it.

    Returns:
        ``"optimal"`` or ``"optimal_inaccurate"``.

    Raises:
        ConfigError: when the solver is not installed; the message lists those that are.
        SolverError: when the solver cannot handle the problem, fails, or finds no solution.
    """
    name = check_solver(solver)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "may be inaccurate": the status says so too
            problem.solve(solver=name)  # type: ignore[no-untyped-call] # not annotated
    except (cp.SolverError, ArithmeticError, ValueError) as error:
        raise SolverError(f"{name} failed on the convex programme: {error}") from error
    if problem.status not in SOLVED:
        raise SolverError(
            f"{name} ended with status {problem.status!r}; expected one of {', '.join(SOLVED)} "
            "(another solver may do better)"
        )
    return str(problem.status)


def check_solver(solver: str) -> str:
    """The name in cvxpy's spelling.

    Raises:
        ConfigError: when it is not installed.
    """
    installed = cp.installed_solvers()  # type: ignore[no-untyped-call] # not annotated
    if solver.upper() not in installed:
        raise ConfigError(
            f"the solver {solver!r} is not installed; installed: {', '.join(sorted(installed))}"
        )
    return solver.upper()


def value_of(variable: cp.Variable) -> npt.NDArray[np.float64]:
    """Value of a variable of a solved problem.

    Raises:
        SolverError: when the solver returned none.
    """
    if variable.value is None:
        raise SolverError("the convex solver returned no values in spite of its status")
    return np.asarray(variable.value, dtype=np.float64)


def version(solver: str) -> str:
    """Name of the solver, and the version of cvxpy that called it."""
    return f"{solver.upper()} through cvxpy {metadata.version('cvxpy')}"
