"""The options of commands that ask about an instance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

import click

from mfbpi_run.command import PATH

Command = Callable[..., object]


class Where(TypedDict):
    """What those options were given."""

    environment: str | None
    settings: tuple[str, ...]
    file: Path | None
    discount: float | None


def instance(command: Command) -> Command:
    """Give a command the options ``--env``, ``-E``, ``--mdp`` and ``--discount``."""
    for option in reversed(
        (
            click.option("--env", "environment", metavar="NAME", help="Environment with a model."),
            click.option(
                "-E",
                "settings",
                multiple=True,
                metavar="KEY=VALUE",
                help="Parameter of the environment; repeatable. Of a file: reward_range=LOW,HIGH.",
            ),
            click.option(
                "--mdp",
                "file",
                type=PATH,
                metavar="FILE",
                help="Model: .npz with arrays P [S,A,S], R [S,A] or [S,A,S]; optional: initial, "
                "terminal [S], reward_range [2]. Or .csv, .json, .parquet, .drn, .mdp, .pomdp.",
            ),
            click.option(
                "--discount",
                type=float,
                metavar="GAMMA",
                help="Discount factor, in (0, 1). Default: the environment's, or 0.99.",
            ),
        )
    ):
        command = option(command)
    return command
