"""Sparse linear systems V = r + gamma P V with a verified residual, for many states.

A narrow band is factorised as such. Otherwise a Krylov method is tried first: random sparse
graphs fill in badly when factorised but mix fast, so that it takes a few dozen products. Where
it stalls, moderate systems are factorised after all, and large ones iterated as
V <- r + gamma P V, which cannot fail. Where some digits are enough, the series of (gamma P)^k r
comes first: in a graph that mixes fast its terms soon are the same number in all states.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse
from scipy.sparse import linalg as sparse_linalg

from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.errors import SolverError

#: Half-widths of bands up to this are factorised without trying anything else.
NARROW_BAND = 32

#: Rows that are looked at before all of them.
FEW_ROWS = 1_000

#: Systems up to this many states may be factorised whatever their graph.
FACTORISED_STATES = 5_000

#: Products of one Krylov attempt, and attempts, each of which refines the last.
KRYLOV_PRODUCTS = 150
KRYLOV_ATTEMPTS = 6

#: The range of a term of the series is at most this share of the last one's, or it is given up.
MIXING = 0.8

EPS = float(np.finfo(np.float64).eps)


def rows_to_sparse(
    successors: npt.NDArray[np.int64], probabilities: FloatArray, n_states: int
) -> sparse.csr_array:
    """One sparse row for each pair: [S A, S] from successor lists [S, A, K]."""
    n_slots = probabilities.shape[2]
    n_rows = probabilities.shape[0] * probabilities.shape[1]
    starts = np.arange(n_rows + 1, dtype=np.int32) * n_slots
    columns = successors.reshape(-1).astype(np.int32)
    data = probabilities.reshape(-1).copy()  # scipy sorts and merges entries in place
    return sparse.csr_array((data, columns, starts), shape=(n_rows, n_states))


def solve_discounted(
    matrix: sparse.csr_array,
    rewards: FloatArray,
    discount: float,
    *,
    guess: FloatArray | None = None,
) -> FloatArray:
    """Solve V = r + gamma P V to the precision of the arithmetic.

    Args:
        matrix: P, stochastic, sparse [S, S].
        rewards: r, [S].
        discount: gamma, in (0, 1); 1 where P leaves the states in the end from everywhere.
        guess: [S], where to start.

    Returns:
        V, [S], whose residual is a few units of rounding; its error is at most the residual
        divided by 1 - gamma.

    Raises:
        SolverError: when the residual of no method is that small.
    """
    n_states = len(rewards)
    start = np.zeros(n_states) if guess is None else guess
    if _is_narrow(matrix):
        values = _solve_banded(matrix, _offsets(matrix), rewards, discount)
        return _checked(values, matrix, rewards, discount)
    found = _krylov(matrix, rewards, discount, start)
    if found is None and n_states <= FACTORISED_STATES:
        found = _factorise(matrix, rewards, discount)
    if found is None and discount < 1.0:
        found = _iterate(matrix, rewards, discount, start)
    if found is None:
        raise SolverError(f"no method solved a system of {n_states} states without discounting")
    return _checked(found, matrix, rewards, discount)


def approximate(
    matrix: sparse.csr_array,
    rewards: FloatArray,
    discount: float,
    aim: float,
    *,
    guess: FloatArray | None = None,
) -> tuple[FloatArray, float]:
    """Solve V = r + gamma P V to some digits.

    Args:
        matrix: P, stochastic, sparse [S, S].
        rewards: r, [S].
        discount: gamma, in (0, 1).
        aim: largest residual, in relation to the largest reward, at which to end.
        guess: [S], where to start.

    Returns:
        V, [S], and its largest residual in the same relation, which can be any number.
    """
    largest = _largest(rewards) or 1.0
    start, rest = np.zeros(len(rewards)), rewards
    if guess is not None:
        start, rest = guess, residual(guess, matrix, rewards, discount)
    size = _largest(rest)
    if size <= aim * largest:
        return start, size / largest
    values = start + _some_digits(matrix, rest, discount, aim * largest / size)
    return values, _largest(residual(values, matrix, rewards, discount)) / largest


def residual(
    values: FloatArray, matrix: sparse.csr_array, rewards: FloatArray, discount: float
) -> FloatArray:
    """Difference r + gamma P V - V, [S]."""
    difference: FloatArray = rewards + discount * (matrix @ values) - values
    return difference


def _offsets(matrix: sparse.csr_array) -> npt.NDArray[np.int64]:
    """Column minus row of each stored entry; 0 for unused slots, wherever they point."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return np.where(matrix.data != 0.0, matrix.indices - rows, 0)


def _is_narrow(matrix: sparse.csr_array) -> bool:
    """Whether all entries lie in a narrow band; a few rows show most matrices that do not."""
    few = matrix[: min(FEW_ROWS, matrix.shape[0])] if matrix.shape[0] > FEW_ROWS else matrix
    return all(
        np.abs(_offsets(part)).max(initial=0) <= NARROW_BAND
        for part in ((few,) if few is matrix else (few, matrix))
    )


def _solve_banded(
    matrix: sparse.csr_array,
    offsets: npt.NDArray[np.int64],
    rewards: FloatArray,
    discount: float,
) -> FloatArray:
    """LU of a band of half-width at most :data:`NARROW_BAND`."""
    n_states, width = len(rewards), int(np.abs(offsets).max(initial=0))
    flat = (width - offsets) * n_states + matrix.indices
    band = np.bincount(flat, -discount * matrix.data, (2 * width + 1) * n_states)
    band = band.reshape(2 * width + 1, n_states)  # band[width + i - j, j] of entry (i, j)
    band[width] += 1.0
    values: FloatArray = linalg.solve_banded((width, width), band, rewards)
    return values


def _system(matrix: sparse.csr_array, discount: float) -> sparse.csr_array:
    """I - gamma P."""
    return (sparse.eye_array(matrix.shape[0], format="csr") - discount * matrix).tocsr()


def _some_digits(
    matrix: sparse.csr_array, rewards: FloatArray, discount: float, aim: float
) -> FloatArray:
    """Values with a residual of about ``aim`` times the rewards, unless no method comes near."""
    if _is_narrow(matrix):
        return _solve_banded(matrix, _offsets(matrix), rewards, discount)
    mixed = _mixed(matrix, rewards, discount, aim)
    if mixed is not None:
        return mixed

    def multiply(vector: FloatArray) -> FloatArray:
        product: FloatArray = matrix @ vector
        product *= -discount
        product += vector
        return product

    system = sparse_linalg.LinearOperator(matrix.shape, multiply, dtype=np.float64)
    # In the Euclidean norm, in which the largest entry of a residual can be above the average.
    values, _ = sparse_linalg.bicgstab(system, rewards, rtol=0.1 * aim, maxiter=KRYLOV_PRODUCTS)
    return values


def _mixed(
    matrix: sparse.csr_array, rewards: FloatArray, discount: float, aim: float
) -> FloatArray | None:
    """The sum of (gamma P)^k r; None where P^k r does not soon become the same in all states.

    Once it has, so have all later terms, and their sum is known. Half the range of the last one
    is what the residual then is (MacQueen 1966).
    """
    values, term, span = rewards.copy(), rewards, float(np.ptp(rewards))
    low = high = float(rewards[0])
    while span > aim * _largest(rewards):
        term = matrix @ term
        term *= discount
        values += term
        low, high, last = float(term.min()), float(term.max()), span
        span = high - low
        if not span <= MIXING * last:
            return None
    return values + 0.5 * (low + high) * discount / (1.0 - discount)


def _factorise(matrix: sparse.csr_array, rewards: FloatArray, discount: float) -> FloatArray:
    """Sparse LU with one step of refinement."""
    factors = sparse_linalg.splu(_system(matrix, discount).tocsc())
    values: FloatArray = factors.solve(rewards)
    values += factors.solve(residual(values, matrix, rewards, discount))
    return values


def _krylov(
    matrix: sparse.csr_array, rewards: FloatArray, discount: float, start: FloatArray
) -> FloatArray | None:
    """BiCGSTAB with refinement; None where it stalls."""
    system, values = _system(matrix, discount), start
    error = np.inf
    for _ in range(KRYLOV_ATTEMPTS):
        rest = residual(values, matrix, rewards, discount)
        size = float(np.abs(rest).max())
        if size <= _small(values, rewards):
            return values
        if size > 0.1 * error:
            return None
        error = size
        step, _ = sparse_linalg.bicgstab(system, rest, rtol=1e-9, maxiter=KRYLOV_PRODUCTS)
        values = values + step
    return None


def _iterate(
    matrix: sparse.csr_array, rewards: FloatArray, discount: float, start: FloatArray
) -> FloatArray:
    """V <- r + gamma P V, a contraction, until rounding stops it."""
    values = start
    n_sweeps = int(np.ceil(np.log(EPS * (1.0 - discount)) / np.log(discount)))
    for _ in range(n_sweeps):
        rest = residual(values, matrix, rewards, discount)
        if np.abs(rest).max() <= _small(values, rewards):
            break
        values = values + rest
    return values


def _largest(rewards: FloatArray) -> float:
    return float(np.abs(rewards).max())


def _small(values: FloatArray, rewards: FloatArray) -> float:
    """Size of a residual that rounding alone explains."""
    return 4.0 * EPS * float(np.abs(values).max() + np.abs(rewards).max())


def _checked(
    values: FloatArray, matrix: sparse.csr_array, rewards: FloatArray, discount: float
) -> FloatArray:
    """Return the values if their residual is rounding."""
    size = float(np.abs(residual(values, matrix, rewards, discount)).max())
    # Sums of long rows round a little more than the few slots of a sparse one.
    allowed = 16.0 * _small(values, rewards)
    if not size <= allowed:
        raise SolverError(
            f"policy evaluation left a residual of {size:.3g}; expected at most {allowed:.3g}"
        )
    return values
