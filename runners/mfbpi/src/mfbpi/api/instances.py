"""Questions about instances: how hard one is, and how many samples it needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from mfbpi.api.building import Anything, described, made
from mfbpi.api.given import Plugin, one
from mfbpi.execute.working import compiled
from mfbpi.instances import allocations, bounds, instance
from mfbpi.instances.instance import Instance
from mfbpi.notices import warn
from mfbpi.plan import selection, unchanged
from mfbpi_core.contracts.bound import BoundSolution, Constraint
from mfbpi_core.contracts.experiment import Choice
from mfbpi_core.data.mdp import RewardLaw, TabularMDP
from mfbpi_core.plugins import bounding
from mfbpi_core.plugins.registry import Registry

if TYPE_CHECKING:
    from mfbpi.instances.solution import Solution
    from mfbpi_lib_tabular.analysis.description import Description


def mdp(
    transitions: npt.ArrayLike,
    rewards: npt.ArrayLike,
    *,
    initial: npt.ArrayLike | None = None,
    terminal: npt.ArrayLike | None = None,
    reward_range: tuple[float, float] = (0.0, 1.0),
    reward_law: RewardLaw = "deterministic",
) -> TabularMDP:
    """A Markov decision process from arrays, validated.

    Args:
        transitions: P [S, A, S], rows summing to one.
        rewards: means, R [S, A] or [S, A, S].
        initial: [S] distribution of the first state; state 0 if None.
        terminal: [S] mask of the states where an episode ends; none if None.
        reward_range: lowest and highest reward.
        reward_law: whether rewards are their means, or ``"bernoulli"`` draws.

    Raises:
        ModelError: a UsageError, naming the array, the index and the number at fault.

    Example:
        >>> import mfbpi
        >>> stay, go = [1.0, 0.0], [0.0, 1.0]
        >>> mfbpi.mdp([[stay, go], [go, stay]], [[0.0, 0.0], [1.0, 0.0]]).n_states
        2
    """
    return TabularMDP.from_dense(
        transitions,
        rewards,
        reward_law=reward_law,
        initial=initial,
        terminal=terminal,
        reward_range=reward_range,
    )


@unchanged.running()
def describe(where: Anything, /, *, discount: float | None = None) -> Description:
    """How hard an instance is: sizes, gaps, variances, spans, moments, ties, structure.

    Args:
        where: an environment, its name, what :func:`mdp` returned, the path of a model's file, or
            what else :func:`make_environment` takes.
        discount: gamma; the environment's own if None, or 0.99.

    Raises:
        UsageError: where there is no model, or the discount is not between 0 and 1.

    Example:
        >>> import mfbpi
        >>> mfbpi.describe("riverswim", discount=0.9).n_states
        5
    """
    # Imported here because planning needs scipy, which runs do without.
    from mfbpi_lib_tabular.analysis import description

    registry = Registry.discover()
    compiled.find_place(registry)
    found = _instance(registry, where, discount)
    _warn_of(found)
    return description.describe(found.mdp, found.discount)


@unchanged.running()
def solve(where: Anything, /, *, discount: float | None = None) -> Solution:
    """The optimal values and policies of an instance, and the gaps of all its pairs.

    Args:
        where: as of :func:`describe`.
        discount: gamma; the environment's own if None, or 0.99.

    Raises:
        UsageError: where there is no model, or the discount is not between 0 and 1.

    Example:
        >>> import mfbpi
        >>> mfbpi.solve("riverswim", discount=0.9).policy.tolist()
        [1, 1, 1, 1, 1]
    """
    from mfbpi.instances import solution  # as in describe

    registry = Registry.discover()
    compiled.find_place(registry)
    found = _instance(registry, where, discount)
    _warn_of(found)
    return solution.solve(found)


def bound(
    name: Plugin,
    where: Anything,
    /,
    *,
    discount: float | None = None,
    constraint: Constraint = "generative",
    allocation: Literal["optimal", "uniform"] | npt.ArrayLike = "optimal",
    **parameters: object,
) -> BoundSolution:
    """Minimise a bound on the number of samples over allocations, or evaluate it at one.

    Args:
        name: the bound.
        where: as of :func:`describe`.
        discount: gamma; the environment's own if None, or 0.99.
        constraint: any allocation, or those that a walk can follow (``"navigation"``).
        allocation: where to evaluate, [S, A]; the least value over all if ``"optimal"``.
        parameters: values of the bound's parameters.

    Raises:
        UsageError: where there is no model, or something given is wrong.
        SolverError: when no solution passes its own checks.

    Example:
        >>> import mfbpi
        >>> mfbpi.bound("u", "riverswim", constraint="navigation").status
        'optimal'
    """
    registry = Registry.discover()
    compiled.find_place(registry)
    (choice,) = selection.given(registry, "bound", [one(name, parameters)])
    found = _instance(registry, where, discount)
    built = bounds.build(choice, found.discount)
    _warn_of(found)
    if isinstance(allocation, str) and allocation == "optimal":
        return bounding.solved(built, found.mdp, constraint)
    return bounds.evaluated(built, found.mdp, _weights(allocation, found.mdp), constraint)


def _weights(given: str | npt.ArrayLike, model: TabularMDP) -> npt.NDArray[np.float64]:
    if isinstance(given, str) and given == "uniform":
        return allocations.uniform(model)
    return allocations.checked("`allocation`", given, (model.n_states, model.n_actions))


def _instance(registry: Registry, where: Anything, discount: float | None) -> Instance:
    """The model with its discount."""
    instance.check_discount(discount)
    if isinstance(where, TabularMDP):
        chosen = instance.DEFAULT_DISCOUNT if discount is None else discount
        return Instance(label="the model", mdp=where, discount=chosen)
    if isinstance(where, str | Choice | Path):
        (choice,) = selection.given(registry, "environment", [one(where, {})])
        return instance.of_environment(registry, choice.ref(), discount)
    built = made(registry, where)
    return instance.of_built(built, described(built)[1].shown, discount)


def _warn_of(found: Instance) -> None:
    from mfbpi_lib_tabular.analysis import description

    for message in description.diagnose(found.mdp):
        warn(message)
