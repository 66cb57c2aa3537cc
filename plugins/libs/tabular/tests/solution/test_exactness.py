from fractions import Fraction

import numpy as np
import pytest

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_tabular import testing
from mfbpi_lib_tabular.solution import exactness


@pytest.mark.parametrize(
    ("number", "meaning"),
    [
        (1.0 / 3.0, Fraction(1, 3)),
        (1.0 / 3.0 + 1.0 / 3.0, Fraction(2, 3)),
        (0.1 + 0.2, Fraction(3, 10)),
        (1.0 - 0.9, Fraction(1, 10)),
        (0.99, Fraction(99, 100)),
        (0.123456789, Fraction(123456789, 10**9)),
        (1e-6, Fraction(1, 10**6)),
        (0.0, Fraction(0)),
        (1.0, Fraction(1)),
        (0.5 - 2e-12, Fraction(499999999998, 10**12)),
        (0.5 - 2e-13, Fraction(0.5 - 2e-13)),
    ],
)
def test_what_a_number_stands_for(number, meaning):
    """Small fractions and short decimals are recognised through rounding; others are themselves."""
    assert exactness.meant(number) == meaning


def test_verdicts_are_those_of_fractions():
    """On random instances of simple numbers, zero gaps among them, fractions say the same."""
    n_zero = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        successors = rng.integers(4, size=(4, 3, 2))
        tenths = rng.integers(0, 3, size=(4, 3)) / 2.0
        mdp = TabularMDP.from_successors(
            successors, np.stack([tenths, 1.0 - tenths], axis=2), rng.integers(0, 2, size=(4, 3))
        )
        policy = rng.integers(3, size=4)
        pairs = [(s, a) for s in range(4) for a in range(3)]

        found = exactness.compare(mdp, policy, 0.9, pairs)

        right = testing.exact_gaps(mdp, policy, 0.9, exactness.meant)
        zero = np.array([right[s][a] == 0 for s, a in pairs])
        np.testing.assert_array_equal(found.equal, zero)
        np.testing.assert_array_equal(found.different, ~zero)
        n_zero += int(zero.sum())
    assert n_zero > 150


def test_large_instances_stay_open(riverswim):
    """Beyond the cap nothing is claimed."""
    mdp = riverswim(exactness.MAX_STATES + 1)

    found = exactness.compare(mdp, np.zeros(mdp.n_states, dtype=np.int64), 0.9, [(0, 1)])

    assert (found.equal.tolist(), found.different.tolist()) == ([False], [False])


def test_ties_of_hundreds_of_states_are_proven(riverswim):
    """A pair compared with itself at 200 states: zero modulo enough primes."""
    mdp, policy = riverswim(200), np.ones(200, dtype=np.int64)

    found = exactness.compare(mdp, policy, 0.95, [(77, 1), (77, 0)])

    assert found.equal.tolist() == [True, False]
    assert found.different.tolist() == [False, True]


def test_primes():
    """The Mersenne prime 2^31 - 1 first; against division by every smaller number."""
    primes = exactness._primes()
    first = [next(primes) for _ in range(5)]

    assert first[0] == 2**31 - 1
    assert all(number % k for number in first for k in range(3, 46341, 2))
