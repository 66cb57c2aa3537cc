"""Checks of experiments: they are data about plugins."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from mfbpi_core.contracts.experiment import Choice, Experiment
from mfbpi_core.contracts.parameters import from_dict, parse
from mfbpi_core.errors import NotFoundError
from mfbpi_core.plugins.spec import load_object
from mfbpi_core.testing.outcomes import CheckSkipped, require
from mfbpi_core.testing.subject import Subject


def returns_an_experiment(subject: Subject) -> None:
    """In both sizes, the factory returns an Experiment of runs or studies, with its functions."""
    for experiment in _sizes(subject):
        kind = type(experiment).__name__
        what = f"the factory returned {kind}; Experiment expected"
        require(isinstance(experiment, Experiment), what)
        something = experiment.runs or experiment.studies
        require(something, "the experiment has neither runs nor studies")
        both = experiment.runs and experiment.studies
        require(not both, "the experiment has both runs and studies; expected one of them")
        for function in filter(None, (*experiment.figures.values(), experiment.finding)):
            require(callable(load_object(function)), f"{function} is not a function")


def choices_fit_their_plugins(subject: Subject) -> None:
    """Parameters chosen exist in the plugins chosen, with allowed values, where installed."""
    missing = set()
    chosen = itertools.chain.from_iterable(map(_choices, _sizes(subject)))
    for kind, choice in chosen:
        try:
            plugin = subject.registry.get(kind, choice.name)
        except NotFoundError:
            missing.add(f"{kind} {choice.name}")
            continue
        for point in choice.expand():
            if kind == "stopping_rule":  # given as texts, as on the command line
                parse(plugin.load_config(), point.parameters)
            else:
                from_dict(plugin.load_config(), point.parameters)
    for experiment in _sizes(subject):
        _check_discounts(experiment)
    if missing:
        raise CheckSkipped(f"not installed: {', '.join(sorted(missing))}; the others fit")


def _check_discounts(experiment: Experiment) -> None:
    """Discounts are those of environments of the grid."""
    grid = experiment.runs
    if grid is None:
        return
    labels = {point.label for choice in grid.environments for point in choice.expand()}
    unknown = sorted(grid.discounts.keys() - labels)
    require(not unknown, f"discounts of {', '.join(unknown)}, which the grid does not have")


def _sizes(subject: Subject) -> list[Experiment]:
    """The experiment in full and in small."""
    factory = subject.plugin.load_factory()
    return [factory(False), factory(True)]


def _choices(experiment: Experiment) -> Iterator[tuple[str, Choice]]:
    """Every choice with the kind of plugin that it chooses."""
    grid = experiment.runs
    if grid is not None:
        yield from (("agent", choice) for choice in grid.agents)
        yield from (("environment", choice) for choice in grid.environments)
        yield from (("metric", Choice(name)) for name in grid.metrics)
        if grid.stop is not None:
            texts = dict(text.split("=", 1) for text in grid.stop_settings)
            yield "stopping_rule", Choice(grid.stop, **texts)
    for study in experiment.studies:
        yield from (("environment", choice) for choice in study.environments)
        yield from (("bound", choice) for choice in study.bounds)


CHECKS = (returns_an_experiment, choices_fit_their_plugins)
