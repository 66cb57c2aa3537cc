"""Bounds, environments and the allocation metric together, found by the registry."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mfbpi_core import PluginRef, Problem, Registry, Snapshot, Streams, TabularMDP
from mfbpi_core.contracts.bound import Bound
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.plugins import assembly
from mfbpi_core.testing.worlds.doubles import KitAgent

BOUNDS = Path(__file__).parents[1] / "plugins" / "bounds"

#: Names of the instances in the READMEs.
INSTANCES = {"RiverSwim": ("riverswim", "n_states"), "Forked, N =": ("forked_riverswim", "length")}

#: Columns of the tables of right values.
COLUMNS = [(g, c) for g in (0.95, 0.99) for c in ("generative", "navigation")]

#: The three environments of Russo & Proutiere (2023), with sizes for which bounds are finite.
PAPER = [
    ("riverswim", {"n_states": 5}),
    ("riverswim", {"n_states": 20}),
    ("forked_riverswim", {"length": 5}),
    ("forked_riverswim", {"length": 5, "variant": "published"}),
    ("random_mdp", {"n_states": 5, "mdp_seed": 0}),
    ("random_mdp", {"n_states": 10, "mdp_seed": 1}),
]


@pytest.fixture(scope="module")
def registry() -> Registry:
    """Everything installed."""
    return Registry.discover()


def environment(registry: Registry, name: str, **given: Any) -> Environment:
    """An environment by its name."""
    plugin = registry.get("environment", name)
    made: Environment = plugin.load_factory()(plugin.load_config()(**given))
    return made


def model(registry: Registry, name: str, **given: Any) -> TabularMDP:
    """The model of an environment."""
    found = environment(registry, name, **given).model
    assert found is not None
    return found


def bound(registry: Registry, name: str, discount: float, **given: Any) -> Bound:
    """A bound by its name."""
    plugin = registry.get("bound", name)
    made: Bound = plugin.load_factory()(discount, plugin.load_config()(**given))
    return made


def documented() -> list[tuple[str, dict[str, int], str, int, list[float]]]:
    """Bound, its parameters, instance, size and four values of each row of the READMEs."""
    rows = []
    for readme in sorted(BOUNDS.glob("*/README.md")):
        given: dict[str, int] = {}
        for line in readme.read_text().splitlines():
            if title := re.fullmatch(r"`(k|k_max) = (\d+)`:", line):
                given = {title[1]: int(title[2])}
            if found := re.match(r"\| (RiverSwim|Forked, N =) (\d+) \|(.*e\d+.*)\|$", line):
                values = [float(cell) for cell in found[3].split("|")]
                rows.append((readme.parent.name, given, found[1], int(found[2]), values))
    return rows


def test_tables_of_right_values_are_read() -> None:
    """Each README has one, so that the test below is about all four bounds."""
    assert {row[0] for row in documented()} == {"u", "u0", "u_k", "u_tilde"}
    assert len(documented()) == 7 + 7 + 12 + 12


@pytest.mark.parametrize("row", documented(), ids=str)
def test_right_values_of_the_readmes(registry: Registry, row: Any) -> None:
    """The values written in the READMEs, certified, to all their digits."""
    name, given, instance, size, values = row
    kind, parameter = INSTANCES[instance]
    mdp = model(registry, kind, **{parameter: size})
    for (discount, constraint), expected in zip(COLUMNS, values, strict=True):
        found = bound(registry, name, discount, **given).solve(mdp, constraint)

        assert (found.status, found.relative_gap <= 1e-9) == ("optimal", True)
        assert found.residual <= 1e-12
        assert found.value == pytest.approx(expected, rel=6e-7)


@pytest.mark.parametrize("constraint", ["generative", "navigation"])
@pytest.mark.parametrize("discount", [0.95, 0.99])
@pytest.mark.parametrize(("kind", "given"), PAPER, ids=str)
def test_u0_is_below_u(
    registry: Registry, kind: str, given: dict[str, Any], discount: float, constraint: str
) -> None:
    """On all three environments u0 is the smaller bound, by a factor of 2 to 18."""
    mdp = model(registry, kind, **given)
    u0, u = (bound(registry, name, discount).solve(mdp, constraint).value for name in ("u0", "u"))

    assert 2.0 < u / u0 < 18.0


@pytest.mark.parametrize("constraint", ["generative", "navigation"])
def test_order_of_the_bounds(registry: Registry, constraint: str) -> None:
    """u_1 <= u_2 <= u <= u_tilde; u_k at k = 19 is u, and u with k_max = 1 is u_1."""
    mdp = model(registry, "forked_riverswim", length=4)

    def least(name: str, **given: Any) -> float:
        return bound(registry, name, 0.95, **given).solve(mdp, constraint).value

    u = least("u")
    assert least("u_k", k=1) < least("u_k", k=2) < u < least("u_tilde")
    assert least("u_k", k=19) == pytest.approx(u, rel=1e-12)
    assert least("u", k_max=1) == pytest.approx(least("u_k", k=1), rel=1e-12)


@pytest.mark.parametrize("constraint", ["generative", "navigation"])
@pytest.mark.parametrize("name", ["u", "u_k", "u_tilde"])
def test_reward_scaling_law(registry: Registry, name: str, constraint: str) -> None:
    """Rewards times c: the value times c^-2 where nothing is random, at most that elsewhere.

    Gaps scale with c and moments with c^2, so that only the terms without moments grow.
    """
    river = model(registry, "riverswim", n_states=6)
    sure = np.zeros((4, 2, 4))  # P[s, a, s']: a ring, left and right
    sure[np.arange(4), 0, np.arange(4) - 1] = sure[np.arange(4), 1, (np.arange(4) + 1) % 4] = 1.0
    ring = TabularMDP.from_dense(sure, np.array([[0.1, 0.3], [0.2, 0.9], [0.7, 0.4], [0.0, 0.5]]))

    def least(mdp: TabularMDP, scale: float) -> float:
        scaled = TabularMDP.from_dense(mdp.transitions, scale * mdp.mean_rewards)
        return bound(registry, name, 0.9).solve(scaled, constraint).value

    assert least(ring, 0.5) == pytest.approx(4.0 * least(ring, 1.0), rel=1e-9)
    assert least(river, 1.0) < least(river, 0.5) < 4.0 * least(river, 1.0)


@pytest.mark.parametrize("name", ["u", "u0", "u_k", "u_tilde"])
def test_ties_of_the_published_fork_are_listed(registry: Registry, name: str) -> None:
    """With 13 states the published law makes two actions equally good; the paper's law does not."""
    published = model(registry, "forked_riverswim", length=7, variant="published")
    paper = model(registry, "forked_riverswim", length=7)

    found = bound(registry, name, 0.95).solve(published)

    assert found.value == math.inf
    assert "optimal policy not unique: tied pairs (s=2, a=2)" in found.reason
    assert math.isfinite(bound(registry, name, 0.95).solve(paper).value)


@pytest.mark.parametrize("name", ["u", "u0", "u_k", "u_tilde"])
def test_navigation_is_never_below_generative(registry: Registry, name: str) -> None:
    """A constraint cannot lower a minimum."""
    for kind, given in PAPER:
        mdp = model(registry, kind, **given)
        made = bound(registry, name, 0.95)
        free, walked = made.solve(mdp), made.solve(mdp, "navigation")

        assert walked.value >= free.value * (1.0 - 1e-12)


@pytest.mark.parametrize("constraint", ["generative", "navigation"])
@pytest.mark.parametrize("name", ["u", "u0", "u_k", "u_tilde"])
@pytest.mark.parametrize(("kind", "given"), [("riverswim", {"n_states": 8}), *PAPER[2:5]], ids=str)
def test_conic_method_agrees(
    registry: Registry, kind: str, given: dict[str, Any], name: str, constraint: str
) -> None:
    """An independent convex solver ends within 1 % of the certified value, never below it."""
    pytest.importorskip("mfbpi_lib_convex")
    mdp = model(registry, kind, **given)
    exact = bound(registry, name, 0.95).solve(mdp, constraint)

    found = bound(registry, name, 0.95, method="conic").solve(mdp, constraint)

    assert found.status == "optimal"
    assert exact.value * (1.0 - 1e-6) <= found.value <= exact.value * 1.01


class Aiming(KitAgent):
    """Aims at a given allocation."""

    aim: Any = None

    @property
    def allocation(self) -> Any:
        """The given allocation."""
        return self.aim


@pytest.mark.parametrize("kind", ["u", "u_k", "u_tilde", "u0"])
@pytest.mark.parametrize("constraint", ["generative", "navigation"])
def test_allocation_metric_aims_where_the_bounds_do(
    registry: Registry, kind: str, constraint: str
) -> None:
    """At the optimum of a bound plugin the distance is 0 and the bound is the plugin's value."""
    river = environment(registry, "riverswim", n_states=7)
    assert river.model is not None
    expected = bound(registry, kind, 0.95).solve(river.model, constraint)
    problem = Problem(n_states=7, n_actions=2, discount=0.95, horizon=10)
    ref = PluginRef(name="allocation", config={"bound": kind, "constraint": constraint})
    metric = assembly.metric(
        registry, assembly.find(registry, "metric", ref), problem, river, np.random.default_rng(0)
    )
    agent = Aiming(problem, None, np.random.default_rng(0))
    agent.aim = expected.allocation

    found = metric.measure(Snapshot(step=0, episode=0, agent=agent, streams=Streams(0)))

    assert set(found) == {"allocation_tv", "allocation_bound"}
    assert found["allocation_tv"] == pytest.approx(0.0, abs=1e-9)
    assert found["allocation_bound"] == pytest.approx(expected.value, rel=1e-9)
