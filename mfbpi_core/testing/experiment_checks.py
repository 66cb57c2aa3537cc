"""Checks of experiments: they are data about plugins."""

from __future__ import annotations

from collections.abc import Iterator

from mfbpi_core.config import from_dict
from mfbpi_core.errors import NotFoundError
from mfbpi_core.experiment import Choice, Experiment
from mfbpi_core.specs import load_object
from mfbpi_core.testing.outcomes import CheckSkipped, require
from mfbpi_core.testing.subject import Subject


def returns_an_experiment(subject: Subject) -> None:
    """The factory returns an Experiment that does something, with figures that exist."""
    experiment = _experiment(subject)
    kind = type(experiment).__name__
    require(isinstance(experiment, Experiment), f"the factory returned {kind}; Experiment expected")
    something = experiment.runs or experiment.studies
    require(something, "the experiment has neither runs nor studies")
    for figure in experiment.figures.values():
        require(callable(load_object(figure)), f"{figure} is not a function")


def choices_fit_their_plugins(subject: Subject) -> None:
    """Parameters chosen exist in the plugins chosen, with allowed values, where installed."""
    missing = set()
    for kind, choice in _choices(_experiment(subject)):
        try:
            plugin = subject.registry.get(kind, choice.name)
        except NotFoundError:
            missing.add(f"{kind} {choice.name}")
            continue
        for point in choice.expand():
            from_dict(plugin.load_config(), point.parameters)
    if missing:
        raise CheckSkipped(f"not installed: {', '.join(sorted(missing))}; the others fit")


def _experiment(subject: Subject) -> Experiment:
    experiment: Experiment = subject.plugin.load_factory()()
    return experiment


def _choices(experiment: Experiment) -> Iterator[tuple[str, Choice]]:
    """Every choice with the kind of plugin that it chooses."""
    grid = experiment.runs
    if grid is not None:
        yield from (("agent", choice) for choice in grid.agents)
        yield from (("environment", choice) for choice in grid.environments)
        yield from (("metric", Choice(name)) for name in grid.metrics)
    for study in experiment.studies:
        yield from (("environment", choice) for choice in study.environments)
        yield from (("bound", choice) for choice in study.bounds)


CHECKS = (returns_an_experiment, choices_fit_their_plugins)
