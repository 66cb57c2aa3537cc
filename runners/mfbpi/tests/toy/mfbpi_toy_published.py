# ruff: noqa: D103 - the contracts say what hooks do
"""The part of the toy plugin that is published: settings of agents, and experiments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from mfbpi_core import AgentSpec, ExperimentSpec, Problem, hookimpl
from mfbpi_core.contracts.experiment import Choice, Experiment, InstanceStudy, RunGrid


def published(problem: Problem) -> dict[str, Any]:
    """Settings for the ring, by its size; none for other environments."""
    return {"weight": problem.n_states} if problem.environment == "ring" else {}


def mistaken(problem: Problem) -> dict[str, Any]:
    """Settings of which one does not exist."""
    return {"wieght": 2}


def unpublished(problem: Problem) -> dict[str, Any]:
    """Settings that nobody knows."""
    raise LookupError(f"nothing is published for {problem.environment}")


def grid(quick: bool) -> Experiment:
    """Two agents on two rings, with a figure."""
    runs = RunGrid(
        agents=(Choice("biased", bias=(0.25, 0.75)),),
        environments=(Choice("ring", n_states=3 if quick else (3, 4)),),
        seeds="0:2",
        metrics=("rate",),
    )
    return Experiment(summary="grid", runs=runs, figures={"rates": "mfbpi_toy_published:figure"})


def study(quick: bool) -> Experiment:
    """Rivers and draws of a random instance, with a finding."""
    random = Choice("random_mdp", replicate="mdp_seed", mdp_seed=(0, 1, 2))
    river = Choice("riverswim", n_states=(5, 10))
    one = InstanceStudy(
        environments=(river,) if quick else (river, random),
        discounts=(0.95,),
        quantities=True,
        moments=(1, 2),
        bounds=(Choice("u0", label="U0"), Choice("u", label="U")),
        constraints=("generative", "navigation"),
    )
    return Experiment(
        summary="study",
        studies=(one,),
        figures={"counts": "mfbpi_toy_published:figure"},
        finding="mfbpi_toy_published:finding",
        notes="a note",
    )


def hard(quick: bool) -> Experiment:
    """An instance with ties, and, unless quick, one whose gaps cannot be told from zero."""
    fork = Choice("forked_riverswim", length=7, variant="published")
    long = Choice("riverswim", n_states=600)
    environments = (fork,) if quick else (fork, long)
    one = InstanceStudy(
        environments=environments, discounts=(0.9,), quantities=True, bounds=(Choice("u"),)
    )
    return Experiment(summary="hard", studies=(one,))


def unshowable(quick: bool) -> Experiment:
    """An experiment whose figure cannot be drawn."""
    return attrs.evolve(grid(True), figures={"rates": "mfbpi_toy_published:no_figure"})


def figure(table: Any) -> Any:
    """How many rows there are."""
    from matplotlib.figure import Figure

    drawn = Figure()
    drawn.add_subplot().plot([0, table.num_rows])
    return drawn


def no_figure(table: Any) -> Any:
    """Always fails."""
    raise ValueError(f"{table.num_rows} rows are too few")


def finding(table: Any) -> str:
    """How many rows there are."""
    return f"There are {table.num_rows} rows."


@hookimpl
def mfbpi_experiments() -> Iterator[ExperimentSpec]:
    for name in ("grid", "study", "hard", "unshowable"):
        yield ExperimentSpec(name=f"toy/{name}", factory=f"mfbpi_toy_published:{name}")


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    for name, preset in (("tuned", "published"), ("mistuned", "mistaken"), ("lost", "unpublished")):
        yield AgentSpec(
            name=name,
            factory="mfbpi_toy:Plain",
            config="mfbpi_toy:PlainConfig",
            preset=f"mfbpi_toy_published:{preset}",
        )
