"""Every experiment that is installed can be carried out as it stands, in both sizes."""

import pytest

from mfbpi.instances import bounds, studies
from mfbpi.plan import grid as plan
from mfbpi.plan import selection as choices
from mfbpi_core import Registry
from mfbpi_core.contracts.experiment import Experiment, RunGrid
from mfbpi_core.plugins.spec import load_object

REGISTRY = Registry.discover()

SIZES = [
    (plugin.spec.name, quick)
    for plugin in REGISTRY.of_kind("experiment")
    for quick in (True, False)
]

each_size = pytest.mark.parametrize(("name", "quick"), SIZES)


def build(name: str, quick: bool) -> Experiment:
    """The experiment as ``mfbpi sweep`` builds it."""
    experiment: Experiment = REGISTRY.get("experiment", name).load_factory()(quick)
    return experiment


def planned(grid: RunGrid) -> plan.TaskPlan:
    """The plan of a grid, as ``mfbpi sweep`` makes it."""
    agents = choices.listed(REGISTRY, "agent", grid.agents)
    environments = choices.listed(REGISTRY, "environment", grid.environments)
    return plan.make(REGISTRY, agents, environments, grid)


def test_there_are_experiments():
    """Those of the paper at least."""
    assert {"paper/bounds", "paper/forced", "paper/instances", "paper/moments"} <= {
        name for name, _ in SIZES
    }


@each_size
def test_runs_resolve(name, quick):
    """Agents, environments and metrics exist, with these parameters, and fit each other."""
    grid = build(name, quick).runs
    if grid is not None:
        tasks = planned(grid).tasks
        assert len({task.task_id for task in tasks}) == len(tasks) > 0


@each_size
def test_studies_resolve(name, quick):
    """Environments and bounds exist, with these parameters."""
    for study in build(name, quick).studies:
        definition = studies.definition(REGISTRY, study)
        assert definition["environments"]
        for choice in choices.listed(REGISTRY, "bound", study.bounds):
            bounds.build(choice, study.discounts[0])


@each_size
def test_functions_exist(name, quick):
    """Figures and the finding can be imported."""
    experiment = build(name, quick)
    for import_string in filter(None, (*experiment.figures.values(), experiment.finding)):
        assert callable(load_object(import_string))


@pytest.mark.parametrize("name", sorted({name for name, _ in SIZES}))
def test_quick_is_smaller(name):
    """The small size has fewer steps, or fewer instances."""
    small, large = build(name, quick=True), build(name, quick=False)

    assert cost(small) < cost(large)


def cost(experiment: Experiment) -> int:
    """Steps of all runs, or number of instances."""
    if experiment.runs is not None:
        return sum(task.horizon for task in planned(experiment.runs).tasks)
    return sum(len(studies.subjects(study)) for study in experiment.studies)
