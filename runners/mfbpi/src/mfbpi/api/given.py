"""What callers give: plugins with their parameters, seeds, progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from mfbpi.execute.events import Observer
from mfbpi.execute.settings import Execution
from mfbpi.plan import own
from mfbpi.results.storage import places
from mfbpi.results.storage.places import Place
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.experiment import Choice
from mfbpi_core.contracts.metric import Metric
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.errors import UsageError

#: What a plugin is called by: its name, ``"./FILE.py:CLASS"``, or a class of this session.
Named = str | type[Agent | Environment | Metric]

#: A plugin: the same, or what one of the functions below returned.
Plugin = Named | Choice

#: Seeds: one, several, or as text, such as ``"0:10"`` for 0 to 9.
Seeds = int | str | Iterable[int]

#: Called after each task with the number of tasks that have ended, and of all.
Progress = Callable[[int, int], object]


def agent(name: Named, /, *, label: str = "", **parameters: Any) -> Choice:
    """An agent with values of its parameters.

    Args:
        name: its name, see ``mfbpi.list_plugins("agent")``; ``"./FILE.py:CLASS"``; or a class.
        label: how it is called in the results; its name with the parameters that are set if empty.
        parameters: a tuple stands for several agents, one for each of its values.

    Example:
        >>> import mfbpi
        >>> [each.label for each in mfbpi.agent("q_ucb", bonus_scale=(0.1, 1.0)).expand()]
        ['q_ucb(bonus_scale=0.1)', 'q_ucb(bonus_scale=1.0)']
    """
    found = own.named(name) if isinstance(name, type) else name
    return Choice(found, label=label, **parameters)


def environment(name: Named, /, *, label: str = "", **parameters: Any) -> Choice:
    """An environment with values of its parameters; see :func:`agent`."""
    return agent(name, label=label, **parameters)


def metric(name: Named, /, **parameters: Any) -> Choice:
    """A metric with values of its parameters; see :func:`agent`."""
    return agent(name, **parameters)


def executor(name: str, /, **parameters: Any) -> Choice:
    """An executor with values of its parameters."""
    return Choice(name, **parameters)


def stopping_rule(name: str, /, **parameters: Any) -> Choice:
    """A stopping rule with values of its parameters."""
    return Choice(name, **parameters)


def measured(metrics: Plugin | Iterable[Plugin]) -> JsonObject:
    """What is measured, as settings of a run."""
    chosen = several("metrics", metrics) if metrics else []
    names = tuple(each.name for each in chosen)
    return {"metrics": names, "metric_settings": settings_of(chosen)}


def stopping(stop: Plugin | None, **asked: Any) -> JsonObject:
    """A stopping rule, and what is asked of it, as settings of a run."""
    if stop is None:
        return asked
    (chosen,) = several("stopping_rules", stop)
    return {"stop": chosen.name, "stop_settings": settings_of([chosen]), **asked}


def execution(
    *,
    out: str | Place | None,
    executor: Plugin,
    checkpoint_dir: str | Place | None,
    **settings: Any,
) -> Execution:
    """How to carry out a plan; raises :class:`UsageError` for what is wrong."""
    (chosen,) = several("executor", executor)
    return Execution(
        out=None if out is None else places.parse(out),
        checkpoint_dir=None if checkpoint_dir is None else places.parse(checkpoint_dir),
        executor=chosen.name,
        executor_settings=settings_of([chosen]),
        **settings,
    )


def several(field: str, given: Plugin | Iterable[Plugin]) -> list[Choice]:
    """One or several plugins, as choices.

    Raises:
        UsageError: when there are none, or something else is among them.
    """
    listed = [given] if isinstance(given, str | Choice | type) else list(given)
    if not listed:
        raise UsageError(f"`{field}` is empty; expected at least one name")
    for each in listed:
        if not isinstance(each, str | Choice | type):
            raise UsageError(
                f"`{field}` has {each!r}; expected names, classes, or what "
                f"`mfbpi.{field.removesuffix('s')}(...)` returns",
            )
    return [each if isinstance(each, Choice) else agent(each) for each in listed]


def one(given: Plugin, parameters: Mapping[str, object]) -> Choice:
    """A single plugin, with further parameters.

    Raises:
        UsageError: when it stands for several.
    """
    choice = given if isinstance(given, Choice) else agent(given)
    label = "" if choice.label == choice.name else choice.label
    joined = Choice(choice.name, label=label, **{**choice.parameters, **parameters})
    several_of = [key for key, value in joined.parameters.items() if isinstance(value, tuple)]
    if several_of:
        raise UsageError(
            f"{choice.name}: {several_of[0]} is {joined.parameters[several_of[0]]!r}, which stands "
            "for several values; expected one (a list where the value is itself a list)"
        )
    return joined


def settings_of(chosen: Sequence[Choice]) -> tuple[str, ...]:
    """Parameters of metrics, or of an executor, as ``name.key=value``."""
    return tuple(
        f"{own.called(each.name)}.{key}={_text(value)}"
        for each in chosen
        for key, value in each.parameters.items()
    )


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def seeds_text(seeds: Seeds | None) -> str | None:
    """Seeds in the notation of the plan; None stays None.

    Raises:
        UsageError: when there are none, or one is no whole number.
    """
    if seeds is None or isinstance(seeds, str):
        return seeds
    listed = [seeds] if isinstance(seeds, int) else list(seeds)
    if not listed or any(isinstance(s, bool) or int(s) != s for s in listed):
        raise UsageError(
            f"`seeds` is {seeds!r}; expected a whole number, several, or a text such as '0:10'",
        )
    return ",".join(str(int(seed)) for seed in listed)


@attrs.define(eq=False)
class _Calling(Observer):
    """Tells a function how many tasks have ended, of how many."""

    call: Progress
    _ended: int = 0
    _total: int = 0

    def begun(self, total: int, kept: int, at_once: int) -> None:  # noqa: ARG002 - the contract's
        """The work begins."""
        self._ended, self._total = kept, total
        self.call(kept, total)

    def finished(self, failure: str | None = None) -> None:  # noqa: ARG002 - the contract's
        """A task has ended."""
        self._ended += 1
        self.call(self._ended, self._total)


def observer(progress: Observer | Progress | None) -> Observer:
    """The observer that was given, or one that calls the function that was given."""
    if progress is None:
        return Observer()
    return progress if isinstance(progress, Observer) else _Calling(progress)
