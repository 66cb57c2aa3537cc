"""How rules are compiled, so that calling them costs nothing.

What a short compiled function costs is not the call but numba's reference counting: each array,
also within a NamedTuple, is counted up when a function is entered and down when it is last used.
LLVM removes both where it sees that they cancel out. It does, in a function compiled by ``leaf``,
if

- it takes NamedTuples, arrays and numbers, never a generator: draw where the numbers are used;
- no row is cut out of a table: ``q[s, a]``, never ``q[s][a]`` nor a function of ``q[s]``;
- no NamedTuple or array is used for the last time behind a condition: ``x = p and state.q[s, a]``
  does, and so does a branch; read the entry first, and branch on numbers.

``tests/test_compiled_rollouts.py`` counts what is left in every agent's loop: nothing may be.

``compiled`` decorates the loop itself, and whatever else Python calls: ``numba.njit(cache=True)``
would go on with the rules of another version of a library; see :mod:`mfbpi_lib_compiled`.
"""

from __future__ import annotations

from mfbpi_lib_compiled import compiled

__all__ = ["compiled", "leaf", "long_leaf"]

#: Decorates a short compiled function. Forced inline, so that LLVM sees both sides of the call; it
#: divides as numpy does, because references must stay counted around what can raise.
leaf = compiled(forceinline=True, error_model="numpy")

#: Decorates a long one, of several loops: where too much is inlined into one place, LLVM gives up
#: the search. It stays a function of its own, whose call is nothing beside its loops.
long_leaf = compiled(error_model="numpy")
