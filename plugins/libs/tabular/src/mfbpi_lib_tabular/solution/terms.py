"""The terms of the bound of Russo & Proutiere (2023), Theorem 3.2, from the moment of a pair.

With phi the golden ratio, D(s, a) the gap and m(s, a) the moment M(s, a)^(2^(1 - k)):

    H(s, a) = suboptimal(m(s, a)) / D(s, a)^2,   suboptimal(m) = 2 + 8 phi^2 m
    C(s) = optimal(m(s, pi*(s)), gamma),         optimal(m, gamma) = max(4, 16 gamma^2 phi^2 m)

Plain functions of numbers or of arrays: compiled rules make leaves of them, see
:mod:`mfbpi_lib_tabular.compiled`; the bounds need no compiler.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

#: A number, or an array of numbers.
Numbers: TypeAlias = Any

#: Square of the golden ratio, phi^2.
PHI_2 = ((1.0 + 5.0**0.5) / 2.0) ** 2


def suboptimal(moment: Numbers) -> Numbers:
    """D^2 H(s, a), of a pair outside pi*."""
    return 2.0 + 8.0 * PHI_2 * moment


def optimal(moment: Numbers, discount: float) -> Numbers:
    """C(s), of the pair (s, pi*(s))."""
    return np.maximum(4.0, 16.0 * discount**2 * PHI_2 * moment)
