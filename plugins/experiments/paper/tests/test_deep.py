"""The deep comparisons: published priors, and priors of one rule."""

import pytest

from mfbpi.plan import selection as choices
from mfbpi_core import Registry
from mfbpi_experiment_paper.deep import deepsea, deepsea_priors


def priors(experiment):
    """The rule of the priors' weights by agent, of those that have priors."""
    chosen = choices.listed(Registry.discover(), "agent", experiment.runs.agents)
    refs = [choice.ref() for choice in chosen]
    return {r.name: r.config["prior_initialiser"] for r in refs if r.config["prior_scale"] > 0}


@pytest.mark.parametrize("quick", [True, False])
def test_published_priors(quick):
    """As the published code draws them; the two rules differ."""
    assert priors(deepsea(quick)) == {
        "dbmf_bpi": "wide_fan_normal",
        "bsp2": "wide_fan_uniform",
        "bsp": "wide_fan_uniform",
    }


@pytest.mark.parametrize("quick", [True, False])
def test_priors_of_one_rule(quick):
    """The same agents and sizes, with the rule whose sd is 1 / sqrt(inputs)."""
    experiment = deepsea_priors(quick)

    assert set(priors(experiment).values()) == {"truncated_normal"}
    assert set(priors(experiment)) == set(priors(deepsea(quick)))
    assert experiment.runs.environments == deepsea(quick).runs.environments
