"""What callers give: plugins with their parameters, seeds, progress."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from mfbpi.api import objects
from mfbpi.execute.settings import Execution
from mfbpi.instances import environment_files
from mfbpi.notices import note
from mfbpi.plan import definition, own
from mfbpi.plan.settings import MAX_SEEDS
from mfbpi.results.storage import places
from mfbpi.results.storage.places import Place
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.experiment import Choice, labelled
from mfbpi_core.contracts.metric import Metric
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.registry import Registry

#: A single seed among these may be meant as a number of seeds.
MEANT_AS_NUMBERS = range(2, MAX_SEEDS + 1)

#: What a plugin is called by: its name, ``"./FILE.py:CLASS"``, or a class of this session.
Named = str | type[Agent | Environment | Metric]

#: A plugin: the same, or what one of the functions below returned.
Plugin = Named | Choice

#: An environment of a run: the same, a model, or the path of a model's file.
World: TypeAlias = Plugin | TabularMDP | Path

#: What a run takes for environments, in words.
_WORLDS = (
    "a name, a class derived from mfbpi_core.Environment, a model (`mfbpi.mdp`), the Path of its "
    "file, or what `mfbpi.environment(...)` returns"
)

#: Seeds: one, several, or as text, such as ``"0:10"`` for 0 to 9.
Seeds = int | str | Iterable[int]


def agent(name: Plugin, /, *, label: str = "", **parameters: Any) -> Choice:
    """An agent with values of its parameters.

    Args:
        name: its name, see ``mfbpi.list_plugins("agent")``; ``"./FILE.py:CLASS"``; a class; or
            what this has returned, to which parameters are added.
        label: how it is called in the results; its name with the parameters that are set if empty.
        parameters: a tuple stands for several agents, one for each of its values.

    Example:
        >>> import mfbpi
        >>> [each.label for each in mfbpi.agent("q_ucb", bonus_scale=(0.1, 1.0)).expand()]
        ['q_ucb(bonus_scale=0.1)', 'q_ucb(bonus_scale=1.0)']
    """
    parameters = {key: _found_by(value) for key, value in parameters.items()}
    if isinstance(name, Choice):
        kept = label or ("" if name.label == name.name else name.label)
        parameters = {**name.parameters, **parameters}
        return Choice(name.name, label=kept, replicate=name.replicate, **parameters)
    if isinstance(name, type):
        return Choice(own.named(name), label=label, **parameters)
    if not isinstance(name, str):
        raise UsageError(f"the name is {objects.shown(name)}; expected a text, or a class")
    return Choice(name, label=label, **parameters)


def _found_by(value: object) -> Any:
    """What finds a class where a parameter names a plugin, alone or in a tuple; others as is."""
    if isinstance(value, tuple):
        return tuple(map(_found_by, value))
    return own.named(value) if definition.is_plugin(value) else value  # type: ignore[arg-type]


def environment(name: World, /, *, label: str = "", **parameters: Any) -> Choice:
    """An environment with values of its parameters; see :func:`agent`.

    Args:
        name: the same; a model, which is written to ``models/mdp_DIGITS.parquet`` in the working
            directory, for workers and for later, and called ``mdp_DIGITS`` unless labelled; or
            the path of a model's file.
        label: see :func:`agent`.
        parameters: likewise.
    """
    if isinstance(name, TabularMDP):
        single = {key: v for key, v in parameters.items() if not isinstance(v, tuple)}
        label = label or labelled(objects.model_called(name), single)
        name = objects.written(Registry.discover(), name)
    elif isinstance(name, Path):
        name = environment_files.name(Registry.discover(), name)
    elif not definition.is_plugin(name) and not isinstance(name, str | Choice):
        raise UsageError(
            f"the environment is {objects.shown(name)}; expected {_WORLDS}{objects.advice(name)}"
        )
    return agent(name, label=label, **parameters)


def metric(name: Plugin, /, **parameters: Any) -> Choice:
    """A metric with values of its parameters; see :func:`agent`."""
    return agent(name, **parameters)


def executor(name: str, /, **parameters: Any) -> Choice:
    """An executor with values of its parameters."""
    return Choice(name, **parameters)


def stopping_rule(name: Plugin, /, **parameters: Any) -> Choice:
    """A stopping rule with values of its parameters; see :func:`agent`."""
    return agent(name, **parameters)


def measured(metrics: Plugin | Iterable[Plugin]) -> JsonObject:
    """What is measured, as settings of a run."""
    chosen = several("metrics", metrics) if metrics else []
    names = tuple(each.name for each in chosen)
    return {"metrics": names, "metric_settings": settings_of(chosen)}


def stopping(stop: Plugin | None, **asked: Any) -> JsonObject:
    """A stopping rule, and what is asked of it, as settings of a run."""
    if stop is None:
        return asked
    chosen = _single("stop", stop)
    return {"stop": chosen.name, "stop_settings": settings_of([chosen]), **asked}


def execution(
    *,
    out: str | Place | None,
    executor: Plugin,
    checkpoint_dir: str | Place | None,
    **settings: Any,
) -> Execution:
    """How to carry out a plan; raises :class:`UsageError` for what is wrong."""
    chosen = _single("executor", executor)
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
    return [_choice(field, each) for each in _listed(field, given)]


def _single(field: str, given: Plugin) -> Choice:
    """One plugin, where a run has one; raises as :func:`several`."""
    found = several(field, given)
    if len(found) > 1:
        names = ", ".join(own.called(each.name) for each in found)
        raise UsageError(f"`{field}` has {names}; expected one: a run has no more")
    return found[0]


def worlds(given: World | Iterable[World]) -> list[Choice]:
    """One or several environments, as choices; raises as :func:`several`."""
    listed = _listed("environments", [given] if isinstance(given, TabularMDP | Path) else given)
    return [
        environment(each)
        if isinstance(each, TabularMDP | Path)
        else _choice("environments", each, objects.advice(each))
        for each in listed
    ]


def _listed(field: str, given: object) -> list[Any]:
    if isinstance(given, str | Choice | type):
        return [given]
    if not isinstance(given, Iterable):
        raise _unfit(field, "is", given, objects.advice(given) if field == "environments" else "")
    listed = list(given)
    if not listed:
        raise UsageError(f"`{field}` is empty; expected at least one name")
    return listed


def _choice(field: str, given: object, advice: str = "") -> Choice:
    if isinstance(given, Choice):
        return given
    if isinstance(given, str) or definition.is_plugin(given):
        return agent(given)  # type: ignore[arg-type]
    raise _unfit(field, "has", given, advice)


def _unfit(field: str, verb: str, given: object, advice: str) -> UsageError:
    kind = "stopping_rule" if field == "stop" else field.removesuffix("s")
    own_ones = kind in definition.DECLARED
    classes = f", classes derived from {definition.base(kind).__name__}" if own_ones else ""
    named = f"names{classes}, or what `mfbpi.{kind}(...)` returns"
    expected = _WORLDS if field == "environments" else named
    return UsageError(f"`{field}` {verb} {objects.shown(given)}; expected {expected}{advice}")


def one(given: World, parameters: Mapping[str, object]) -> Choice:
    """A single plugin, with further parameters.

    Raises:
        UsageError: when it stands for several.
    """
    if isinstance(given, TabularMDP | Path):
        given = environment(given)
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

    A single number is one seed, with a note where it may be meant as a number of seeds.

    Raises:
        UsageError: when there are none, or one is no whole number.
    """
    if seeds is None or isinstance(seeds, str):
        return seeds
    listed = list(seeds) if isinstance(seeds, Iterable) else [seeds]
    found = [_whole(each) for each in listed]
    if not found or None in found:
        wrong = next((each for each in listed if _whole(each) is None), seeds)
        told = "is empty" if not listed else f"has {objects.shown(wrong)}"
        raise UsageError(
            f"`seeds` {told}; expected a whole number, several, or a text such as '0:10'"
        )
    if not isinstance(seeds, Iterable) and found[0] in MEANT_AS_NUMBERS:
        note(
            f"`seeds` is one seed, number {seeds}: range({seeds}) runs {seeds} seeds, [{seeds}] one"
        )
    return ",".join(map(str, found))


def _whole(seed: object) -> int | None:
    """A seed as a whole number of Python, whoever's it is; None for what is none."""
    try:
        return None if isinstance(seed, bool) else operator.index(seed)  # type: ignore[arg-type]
    except TypeError:
        return None
