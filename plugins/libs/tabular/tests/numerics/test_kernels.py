"""The compiled loops of large instances against numpy, and against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mfbpi_lib_tabular import testing
from mfbpi_lib_tabular.numerics import doubled, kernels, rows
from mfbpi_lib_tabular.solution import gaps, planning
from mfbpi_lib_tabular.solution.refinement import refine


def test_facts_of_rows_are_those_of_numpy() -> None:
    """Likeliest next states and what the rows miss, ties and zeros included."""
    rng = np.random.default_rng(0)
    successors = rng.integers(0, 50, size=(400, 6))
    p = rng.dirichlet(np.ones(6), size=400)
    p[:100] = np.round(p[:100], 1)
    p[:100, 0] += 1.0 - p[:100].sum(axis=1)

    state, missing = kernels.row_facts(successors, p)

    assert (state == rows.likeliest(successors, p)).all()
    exact = [float(1 - sum(map(Fraction, row.tolist()))) for row in p]
    assert missing == pytest.approx(exact, rel=1e-15, abs=0.0)


def test_advantages_in_fractions() -> None:
    """Backups of pairs high + low, right to twice the precision."""
    mdp = testing.garnet(8, seed=3)
    n_slots = mdp.probabilities.shape[2]
    following, p = mdp.successors.reshape(-1, n_slots), mdp.probabilities.reshape(-1, n_slots)
    rng = np.random.default_rng(1)
    values = doubled.plus_number(doubled.of(1e3 * rng.random(8)), 1e-14 * rng.random(8))
    state, missing = kernels.row_facts(following, p)
    rewards = mdp.mean_rewards.reshape(-1)

    found = kernels.advantages(
        np.arange(len(p)), following, p, rewards, state, missing, tuple(values), 0.99
    )

    meant = [
        Fraction(h) + Fraction(low) for h, low in zip(*map(np.ndarray.tolist, values), strict=True)
    ]
    for i in range(len(p)):
        mean = sum(
            Fraction(w) * meant[s]
            for w, s in zip(p[i].tolist(), following[i].tolist(), strict=True)
        )
        mean += Fraction(missing[i]) * Fraction(float(values.high[state[i]]))
        exact = meant[i // mdp.n_actions] - Fraction(rewards[i]) - Fraction(0.99) * mean
        assert abs(Fraction(found[i]) - exact) <= Fraction(2.0**-98) * 1000 + abs(exact) * Fraction(
            2.0**-52
        )


def test_refinement_is_the_same_with_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values, rests and advantages; and gaps, on an instance with ends."""
    for mdp, discount in (
        (testing.garnet(300, seed=1), 0.99),
        (testing.frozen_lake(["SFFF", "FHFH", "FFFH", "HFFG"]), 0.999),
    ):
        plan = planning.solve(mdp, discount)
        by_numpy = refine(mdp, plan.policy, plan.values, discount)
        with monkeypatch.context() as patch:
            patch.setattr(rows, "MANY_ROWS", 1)
            compiled = refine(mdp, plan.policy, plan.values, discount)
            separated = gaps.separate(mdp, plan, discount)

        assert (compiled.values == by_numpy.values).all()
        assert np.abs(compiled.advantage - by_numpy.advantage).max() <= 1e-25
        assert compiled.rounding <= 1.5 * by_numpy.rounding
        assert separated.ties == gaps.separate(mdp, plan, discount).ties
