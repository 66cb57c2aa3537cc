import numpy as np
import pytest
from scipy import sparse

from mfbpi_lib_tabular.numerics import linear


def _random_chain(n_states: int, seed: int = 0) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    successors = rng.integers(n_states, size=(n_states, 1, 4))
    weights = rng.dirichlet(np.ones(4), size=(n_states, 1))
    return linear.rows_to_sparse(successors, weights, n_states)


def _ring(n_states: int) -> sparse.csr_array:
    """A slow walk around a ring, on which Krylov methods need many products."""
    s = np.arange(n_states)
    successors = np.stack([s, (s + 1) % n_states], axis=1)[:, None]
    return linear.rows_to_sparse(successors, np.full((n_states, 1, 2), 0.5), n_states)


@pytest.mark.parametrize("matrix", [_random_chain(500), _ring(500)], ids=["random", "ring"])
@pytest.mark.parametrize("discount", [0.9, 0.999])
def test_equals_dense_solution(matrix, discount):
    """Whatever path the solver takes, it solves (I - gamma P) V = r."""
    rewards = np.random.default_rng(1).random(500)
    expected = np.linalg.solve(np.eye(500) - discount * matrix.toarray(), rewards)

    assert linear.solve_discounted(matrix, rewards, discount) == pytest.approx(expected, rel=1e-11)


def test_every_method_alone(monkeypatch):
    """Factorising, iterating and the Krylov method give the same values."""
    matrix, rewards = _random_chain(400), np.random.default_rng(2).random(400)
    expected = np.linalg.solve(np.eye(400) - 0.9 * matrix.toarray(), rewards)
    assert linear.solve_discounted(matrix, rewards, 0.9) == pytest.approx(expected, rel=1e-12)
    monkeypatch.setattr(linear, "KRYLOV_ATTEMPTS", 0)
    assert linear.solve_discounted(matrix, rewards, 0.9) == pytest.approx(expected, rel=1e-12)
    monkeypatch.setattr(linear, "FACTORISED_STATES", 0)

    assert linear.solve_discounted(matrix, rewards, 0.9) == pytest.approx(expected, rel=1e-12)


def test_unused_slots_do_not_widen_the_band():
    """Slots of probability zero may point anywhere; a chain stays a band."""
    s = np.arange(100)
    successors = np.stack([np.minimum(s + 1, 99), np.zeros(100, dtype=int)], axis=1)[:, None]
    weights = np.broadcast_to([1.0, 0.0], (100, 1, 2))
    matrix = linear.rows_to_sparse(successors, weights, 100)
    rewards = np.zeros(100)
    rewards[99] = 1.0

    values = linear.solve_discounted(matrix, rewards, 0.9)

    assert values == pytest.approx(10.0 * 0.9 ** (99 - s), rel=1e-13)


@pytest.mark.parametrize("aim", [1e-3, 1e-8, 1e-12])
@pytest.mark.parametrize("guessed", [False, True])
@pytest.mark.parametrize("matrix", [_random_chain(500), _ring(500)], ids=["random", "ring"])
def test_some_digits(matrix, guessed, aim):
    """The residual is what it is said to be, and what was aimed at, by every method."""
    rng = np.random.default_rng(3)
    rewards, guess = rng.random(500), 10.0 * rng.random(500) if guessed else None

    values, left = linear.approximate(matrix, rewards, 0.95, aim, guess=guess)

    residual = np.abs(linear.residual(values, matrix, rewards, 0.95)).max() / rewards.max()
    assert left == pytest.approx(residual)
    assert left <= 1.01 * aim + 1e-14


def test_a_chain_with_two_ends_does_not_mix():
    """Terms of the series stay apart in the two classes: the Krylov method takes over."""
    chain = _random_chain(200).toarray()
    halves = sparse.csr_array(
        np.block([[chain, np.zeros((200, 200))], [np.zeros((200, 200)), chain]])
    )
    rewards = np.repeat([1.0, 0.0], 200)

    assert linear._mixed(halves, rewards, 0.9, 1e-10) is None
    values, left = linear.approximate(halves, rewards, 0.9, 1e-10)

    assert values == pytest.approx(10.0 * rewards, rel=1e-9, abs=1e-9)
    assert left <= 1e-10


def test_nothing_to_solve():
    """Rewards of 0, or a guess that solves it."""
    matrix, ones = _random_chain(300), np.ones(300)

    assert (linear.approximate(matrix, 0.0 * ones, 0.9, 1e-9)[0] == 0.0).all()
    values, left = linear.approximate(matrix, ones, 0.9, 1e-9, guess=10.0 * ones)
    assert (values == 10.0).all()
    assert left <= 1e-14
