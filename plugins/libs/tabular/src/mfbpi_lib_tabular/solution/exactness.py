"""Proofs that two actions have exactly the same value, in the numbers that float64 stands for.

A model that is written as 1/3 and 0.99 is stored as float64 numbers near them, in which a tie of
the model as written is a gap of about 1e-16. So each number is read as the simplest one that it
can be: a fraction of small numerator and denominator, or a decimal of few digits, within
:data:`CLOSE` of it, and otherwise itself. The gap of a pair (s, a) under a policy,

    g = V(s) - r(s, a) - gamma P(.|s, a) V,   (I - gamma P_pi) V = r_pi,

is then a rational number. With all equations multiplied by their denominators, g det(A) is the
determinant N of an integer matrix (Cramer), at most the product of the lengths of its rows
(Hadamard). Elimination modulo primes finds N modulo each: N is zero if it is zero modulo primes
whose product exceeds twice that bound, and not zero if it is not zero modulo one of them. Both are
proofs; no floating point takes part.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from mfbpi_core.data.arrays import BoolArray, IntArray
from mfbpi_core.data.mdp import TabularMDP

Pair = tuple[int, int]

#: Relative distance of a number from what it can stand for: rounding of a few operations.
CLOSE = 4 * 2.0**-52

#: Fractions up to this denominator, and decimals up to so many digits, are what was meant.
LARGEST_DENOMINATOR = 10_000
MOST_DIGITS = 12

#: Instances of more states are not tried; elimination takes S^3 / 3 operations a prime.
MAX_STATES = 512

#: Operations of all eliminations together, a few seconds; beyond it a tie remains unproven.
MAX_OPERATIONS = 1e9


class Verdict(NamedTuple):
    """What was proven of some pairs; a pair that is in neither is open.

    Attributes:
        equal: bool [n], the gap is zero.
        different: bool [n], the gap is not zero.
    """

    equal: BoolArray
    different: BoolArray


def compare(mdp: TabularMDP, policy: IntArray, discount: float, pairs: Sequence[Pair]) -> Verdict:
    """Compare the value of the policy [S] with that of each pair, its own action afterwards."""
    n_pairs, n_states = len(pairs), mdp.n_states
    equal, different = np.zeros(n_pairs, dtype=np.bool_), np.zeros(n_pairs, dtype=np.bool_)
    if n_states > MAX_STATES or not n_pairs:
        return Verdict(equal, different)
    rows = [_equation(mdp, s, int(policy[s]), discount) for s in range(n_states)]
    asked = [_equation(mdp, s, a, discount) for s, a in pairs]
    bits_left = np.array([_bits(rows) + row.bits + 2.0 for row in asked])
    for count, prime in enumerate(_primes(), start=1):
        rest = _eliminated(rows, asked, prime)
        if rest is not None:
            different |= rest != 0
            bits_left -= math.log2(prime) - 1e-9
            equal = ~different & (bits_left < 0.0)
        if (equal | different).all() or (count + 1) * float(n_states) ** 3 / 3 > MAX_OPERATIONS:
            return Verdict(equal, different)
    raise AssertionError("there are infinitely many primes")


def meant(number: float) -> Fraction:
    """The simplest number that a float64 can stand for; see the module's head."""
    exact = Fraction(number)
    near = exact.limit_denominator(LARGEST_DENOMINATOR)
    if abs(near - exact) <= CLOSE * abs(exact):
        return near
    decimal = Fraction(f"{number:.{MOST_DIGITS}g}")
    return decimal if abs(decimal - exact) <= CLOSE * abs(exact) else exact


class _Equation(NamedTuple):
    """An equation sum coefficient V(s') = constant in integers.

    Attributes:
        columns: states with a coefficient.
        coefficients: integers, one for each.
        constant: integer.
        bits: logarithm to base 2 of the length of all these numbers, rounded up.
    """

    columns: list[int]
    coefficients: list[int]
    constant: int
    bits: float


def _equation(mdp: TabularMDP, s: int, a: int, discount: float) -> _Equation:
    """V(s) - gamma P(.|s, a) V = r(s, a), or V(s) = 0 in a terminal state, times a denominator."""
    entries, constant = {s: Fraction(1)}, Fraction(0)
    if not mdp.terminal[s]:
        gamma, constant = meant(discount), meant(float(mdp.mean_rewards[s, a]))
        for state, weight in _law(mdp, s, a).items():
            entries[state] = entries.get(state, Fraction(0)) - gamma * weight
    scale = math.lcm(constant.denominator, *(entry.denominator for entry in entries.values()))
    whole = [int(entry * scale) for entry in entries.values()]
    last = int(constant * scale)
    length = sum(number * number for number in [*whole, last])
    return _Equation(list(entries), whole, last, length.bit_length() / 2.0)


def _law(mdp: TabularMDP, s: int, a: int) -> dict[int, Fraction]:
    """P(.|s, a) as it was meant; the likeliest state takes what is missing to a sum of one."""
    law: dict[int, Fraction] = {}
    weights = mdp.probabilities[s, a].tolist()
    for state, weight in zip(mdp.successors[s, a].tolist(), weights, strict=True):
        if weight:
            law[state] = law.get(state, Fraction(0)) + meant(weight)
    likeliest = max(law, key=lambda state: law[state])
    law[likeliest] += 1 - sum(law.values())
    return law


def _bits(rows: Sequence[_Equation]) -> float:
    return sum(row.bits for row in rows)


def _eliminated(
    rows: Sequence[_Equation], asked: Sequence[_Equation], prime: int
) -> IntArray | None:
    """The gaps of the asked equations modulo a prime, [n]; None where the system is singular."""
    n_states = len(rows)
    matrix = np.zeros((n_states + len(asked), n_states + 1), dtype=np.int64)  # [equation, state]
    for i, row in enumerate([*rows, *asked]):
        matrix[i, row.columns] = [number % prime for number in row.coefficients]
        matrix[i, -1] = row.constant % prime
    for i in range(n_states):
        candidates = np.flatnonzero(matrix[i:n_states, i])
        if not len(candidates):
            return None
        pivot = i + int(candidates[0])
        matrix[[i, pivot]] = matrix[[pivot, i]]
        inverse = pow(int(matrix[i, i]), -1, prime)
        columns = i + np.flatnonzero(matrix[i, i:])
        own = matrix[i, columns] * inverse % prime
        below = i + 1 + np.flatnonzero(matrix[i + 1 :, i])
        # Both factors are below 2^31, so that their product fits.
        change = matrix[below, i][:, None] * own % prime
        matrix[np.ix_(below, columns)] = (matrix[np.ix_(below, columns)] - change) % prime
    return matrix[n_states:, -1]


def _primes() -> Iterator[int]:
    """Primes below 2^31, the largest first."""
    for number in range(2**31 - 1, 2, -2):
        if _is_prime(number):
            yield number


def _is_prime(number: int) -> bool:
    """Whether an odd number below 3.2e9 is prime: Miller's test to these bases decides it."""
    odd = number - 1
    twos = (odd & -odd).bit_length() - 1
    odd >>= twos
    for base in (2, 3, 5, 7):
        power = pow(base, odd, number)
        if power not in (1, number - 1):
            for _ in range(twos - 1):
                power = power * power % number
                if power == number - 1:
                    break
            else:
                return False
    return True
