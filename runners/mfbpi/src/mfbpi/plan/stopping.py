"""The stopping rule of a run: what is asked of it, refused before anything starts if need be."""

from __future__ import annotations

import math

from mfbpi.notices import warn
from mfbpi.plan import selection
from mfbpi_core.contracts.experiment import RunSettings
from mfbpi_core.contracts.stopping import SCOPES
from mfbpi_core.data import exact
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.task import StopRef
from mfbpi_core.errors import RequirementError, UsageError
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_lib_certificates.certificate import LEAST_RISK

#: Risk and accepted loss where none is given.
DELTA, EPSILON = 0.1, 0.0


def asked(registry: Registry, settings: RunSettings, about: Problem) -> StopRef | None:
    """The rule and what is asked of it; None where no rule is.

    Raises:
        UsageError: when no run could be stopped as asked.
    """
    if settings.stop is None:
        _refuse_alone(settings)
        return None
    choice = selection.stopping_rule(registry, settings.stop, settings.stop_settings)
    ref = StopRef(
        rule=choice.ref(),
        delta=DELTA if settings.delta is None else settings.delta,
        epsilon=EPSILON if settings.epsilon is None else settings.epsilon,
        scope=settings.scope,
    )
    _check_guarantee(choice.plugin, ref, allowed=settings.allow_heuristic)
    check_states(ref, about)
    part = assembly.find(registry, "stopping_rule", ref.rule)
    built = assembly.stopping_rule(registry, part, ref, about)  # refuses what it cannot do
    if built.doubt and not settings.allow_heuristic:
        raise UsageError(
            f"stopping rule {ref.rule.shown} has no guarantee so: {built.doubt}; choose other "
            "parameters, or add `allow_heuristic`"
        )
    if ref.epsilon >= _trivial(about):
        warn(
            f"`epsilon` is {ref.epsilon:g}: on {about.environment} no policy loses more than "
            f"{_trivial(about):g}, so that any policy will do"
        )
    return ref


def _refuse_alone(settings: RunSettings) -> None:
    """What is asked of a rule means nothing without one."""
    given = {
        "stop_settings": bool(settings.stop_settings),
        "delta": settings.delta is not None,
        "epsilon": settings.epsilon is not None,
        "scope": settings.scope != "all",
        "allow_heuristic": settings.allow_heuristic,
    }
    alone = [f"`{name}`" for name, is_given in given.items() if is_given]
    if alone:
        raise UsageError(f"{' and '.join(alone)} without a stopping rule; choose one with `stop`")


def _check_guarantee(plugin: Plugin, ref: StopRef, *, allowed: bool) -> None:
    guarantee, shown = plugin.spec.guarantee, ref.rule.shown
    if guarantee == "none" and not allowed:
        raise UsageError(
            f"stopping rule {shown} has no guarantee: it may stop with a wrong policy more often "
            "than `delta` says; choose another, or add `allow_heuristic`"
        )
    if ref.epsilon == 0.0 and not plugin.spec.exact:
        raise UsageError(f"stopping rule {shown} needs an `epsilon` above 0")
    if ref.epsilon > 0.0 and guarantee == "delta-exact":
        raise UsageError(
            f"stopping rule {shown} identifies an optimal policy or nothing; leave out `epsilon`, "
            "or choose another rule"
        )


def check_states(ref: StopRef, about: Problem) -> None:
    """Refuse an environment without integer states; raises :class:`RequirementError`."""
    if about.n_states is None:
        raise RequirementError(
            f"stopping rule {ref.rule.shown} needs integer states, which environment "
            f"{about.environment} does not have; leave out `stop` there"
        )


def check_question(delta: float, epsilon: float, scope: str) -> None:
    """Refuse a question that no rule can be asked; raises :class:`UsageError`."""
    risk, loss = exact.real(delta), exact.real(epsilon)
    if risk is None or not LEAST_RISK <= risk < 1.0:
        raise UsageError(f"`delta` is {delta!r}; expected a risk between {LEAST_RISK:g} and 1")
    if loss is None or not (loss >= 0.0 and math.isfinite(loss)):
        raise UsageError(f"`epsilon` is {epsilon!r}; expected a loss of 0 or more")
    if scope not in SCOPES:
        raise UsageError(f"`scope` is {scope!r}; expected one of {', '.join(SCOPES)}")


def _trivial(about: Problem) -> float:
    """What no policy loses more than."""
    low, high = about.reward_range
    return (max(high, 0.0) - min(low, 0.0)) / (1.0 - about.discount)
