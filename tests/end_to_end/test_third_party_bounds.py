"""A bound that somebody else installs is followed by agents and measured by metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

import mfbpi
from mfbpi_core.errors import UsageError

THIRD_PARTY = Path(__file__).parent / "third_party"


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The bound ``even`` of mfbpi-bound-even, in this process alone."""
    monkeypatch.syspath_prepend(str(THIRD_PARTY))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("agent", ["mdp_nas", "ps_mdp_nas"])
def test_it_is_followed_and_measured(agent: str) -> None:
    """The agent aims at even weights, where U = k S A; the parameter k is handed on."""
    results = mfbpi.run(
        mfbpi.agent(agent, bound="even"),
        "riverswim",
        seeds=0,
        steps=300,
        metrics=mfbpi.metric("allocation", bound="even", k=3),
        executor="serial",
    )

    rows = results.to_pandas().groupby("metric")["value"].last()
    assert not results.failures
    assert rows["allocation_tv"] == pytest.approx(0.0, abs=1e-12)
    assert rows["allocation_bound"] == pytest.approx(3 * 5 * 2)
    assert 0.0 < rows["visits_tv"] < 1.0


def test_a_bound_that_is_not_installed_is_refused_before_the_run() -> None:
    """By the agent that names it, with what there is."""
    with pytest.raises(UsageError, match=r"(?s)agent mdp_nas.*evne.*even"):
        mfbpi.run(mfbpi.agent("mdp_nas", bound="evne"), "riverswim", seeds=0, steps=10)


def test_a_value_that_the_bound_refuses_is_refused_before_the_run() -> None:
    """u_k takes moments up to 40, as does the metric; u takes one at least."""
    with pytest.raises(UsageError, match="k is 41"):
        mfbpi.run(
            "uniform",
            "riverswim",
            seeds=0,
            steps=10,
            metrics=mfbpi.metric("allocation", bound="u_k", k=41),
        )
