"""How runs are made: declared once, for commands, sweep files and the library."""

from __future__ import annotations

import attrs

from mfbpi_core.contracts.parameters import count, setting
from mfbpi_core.contracts.stopping import SCOPES


@attrs.frozen(kw_only=True)
class RunSettings:
    """How runs are made; None leaves a setting to the environment's protocol.

    Declared here once: the options of the commands, the keys of sweep files and the arguments of
    the library derive from these fields.

    Attributes:
        seeds: as on the command line, such as ``"0:10"``.
        steps: steps of each run.
        episodes: episodes of each run.
        eval_every: steps between evaluations.
        discount: gamma.
        metrics: names; all that apply if empty.
        metric_settings: their parameters, as ``"key=value"`` or ``"name.key=value"``.
        arrays: whether the metrics' arrays are kept.
        stop: name of the stopping rule that may end a run before its horizon; None for none.
        stop_settings: its parameters, as ``"key=value"``.
        delta: risk that the rule may take; 0.1 if None.
        epsilon: loss that the rule may accept; 0, an optimal policy, if None.
        scope: the states that matter to the rule.
        allow_heuristic: whether the rule may be one without a guarantee.
    """

    seeds: str | None = setting(
        None,
        "0:10 for 0 to 9, 3 for 3 alone, or 0,2,5.",
        metavar="SEEDS",
        expected="a text such as '0:10', a seed, or a list of seeds",
    )
    steps: int | None = count(None, "Steps of each run.")
    episodes: int | None = count(None, "Episodes of each run.")
    eval_every: int | None = count(None, "Steps between evaluations.")
    discount: float | None = setting(
        None,
        "Discount factor, in (0, 1).",
        metavar="GAMMA",
        expected="a number between 0 and 1, exclusive",
        gt=0.0,
        lt=1.0,
    )
    metrics: tuple[str, ...] = setting(
        (),
        "Metric; repeatable. Default: all that apply.",
        metavar="NAME",
        expected="a list of names",
    )
    metric_settings: tuple[str, ...] = setting(
        (),
        "Parameter of every metric that has it; NAME.KEY=VALUE for one; repeatable.",
        metavar="KEY=VALUE",
        expected="a list of texts such as 'key=value'",
    )
    arrays: bool = setting(
        False, "Keep the metrics' arrays too.", metavar="", expected="true or false"
    )
    stop: str | None = setting(
        None,
        "Stopping rule that may end a run before its horizon.",
        metavar="RULE",
        expected="the name of a stopping rule",
    )
    stop_settings: tuple[str, ...] = setting(
        (),
        "Parameter of the stopping rule; repeatable.",
        metavar="KEY=VALUE",
        expected="a list of texts such as 'key=value'",
    )
    delta: float | None = setting(
        None,
        "Risk that the stopping rule may take. Default: 0.1.",
        metavar="RISK",
        expected="a number between 0 and 1, exclusive",
        gt=0.0,
        lt=1.0,
    )
    epsilon: float | None = setting(
        None,
        "Loss that it may accept. Default: 0, an optimal policy.",
        metavar="LOSS",
        expected="a number of 0 or more",
        ge=0.0,
    )
    scope: str = setting(
        "all",
        "States that matter to it: all, visited, or initial, where episodes begin.",
        metavar="STATES",
        expected="one of all, visited, initial",
        choices=SCOPES,
    )
    allow_heuristic: bool = setting(
        False,
        "Let a stopping rule without a guarantee stop runs.",
        metavar="",
        expected="true or false",
    )
