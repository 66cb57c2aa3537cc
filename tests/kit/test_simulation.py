"""Simulators of environments of others: compared with `step` and with the model, or skipped."""

import pytest

from mfbpi_core import Registry
from mfbpi_core.testing import checks_for
from mfbpi_core.testing.subject import Subject
from mfbpi_core.testing.tools import simulation

#: Environments on the library of tabular environments, with zeros in every place of a row. Both
#: drivers of the second close their sums where one positive entry remains, which is too early.
SOURCE = """
import numpy as np
from mfbpi_core import EnvironmentSpec, hookimpl
from mfbpi_core.testing.worlds.instances import zeros_in_every_place
from mfbpi_lib_tabular.models.environment import TabularEnvironment

class Exact(TabularEnvironment):
    def __init__(self, config):
        super().__init__(zeros_in_every_place(), max_episode_steps=7)

class Early(Exact):
    def __init__(self, config):
        super().__init__(config)
        early = {name: closed(getattr(self._dynamics, name)) for name in ("cdf", "initial_cdf")}
        self._dynamics = self._dynamics._replace(**early)

def closed(cdf):
    steps = np.diff(np.minimum(cdf, 1.0), axis=-1, prepend=0.0)
    remaining = np.cumsum(steps[..., ::-1] > 0.0, axis=-1)[..., ::-1]
    return np.where(remaining <= 1, np.inf, cdf)

@hookimpl
def mfbpi_environments():
    yield EnvironmentSpec(name="third_exact", factory="third_env:Exact")
    yield EnvironmentSpec(name="third_early", factory="third_env:Early")
"""

LAW = {
    "transitions_follow_model",
    "rewards_follow_model",
    "termination_follows_model",
    "initial_states_follow_model",
    "simulator_follows_step",
    "simulator_follows_model",
}


@pytest.fixture
def results(install):
    """How the checks of a law end, by environment and name."""
    install("third-env", "third_env", SOURCE)

    def by_name(registry):
        checks = [check for check in checks_for("third-env", registry) if check.name in LAW]
        return {(check.plugin, check.name): check.result() for check in checks}

    return by_name


def test_law_of_others_is_checked(results):
    """With compiled agents installed nothing is skipped; the fault is found in both drivers."""
    found = results(Registry.discover())

    ended = {name: result.status for (plugin, name), result in found.items() if "exact" in plugin}
    assert ended == dict.fromkeys(LAW, "passed")
    wrong = {name for (plugin, name), result in found.items() if result.status == "failed"}
    assert wrong >= {
        "transitions_follow_model",
        "initial_states_follow_model",
        "simulator_follows_model",
    }
    assert "simulator_follows_step" not in wrong


def test_without_a_compiled_agent_the_simulator_is_skipped(results, install):
    """The reason says who tried, and how that ended."""
    registry = install("kit-good", "kit_good")
    found = results(registry)["third_exact", "simulator_follows_step"]

    assert found.status == "skipped"
    assert found.message == "no agent installed uses the simulator"


def test_an_agent_without_parameters_rolls(monkeypatch):
    """Of the agents installed, not the first by name: one that plans takes minutes on taxi."""
    registry, tried = Registry.discover(), []
    interaction = simulation._interaction

    def noted(agent, world):
        tried.append(agent.plugin.spec.name)
        return interaction(agent, world)

    monkeypatch.setattr(simulation, "_interaction", noted)

    assert (
        len(simulation.rolled(Subject(registry.get("environment", "taxi"), registry), 100)) == 100
    )
    assert tried == ["uniform"]
