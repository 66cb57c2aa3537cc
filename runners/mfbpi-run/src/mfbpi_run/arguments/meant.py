"""The options that say which run of a directory is meant, and which code it may bring in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Function = Callable[..., Any]


def meant(command: Function) -> Function:
    """Give a command the options ``--agent``, ``--env`` and ``--seed``."""
    for option in reversed(
        (
            click.option("--agent", metavar="LABEL", help="Whose run, where there are several."),
            click.option("--env", metavar="LABEL", help="In which environment, likewise."),
            click.option("--seed", type=int, metavar="N", help="With which seed, likewise."),
        )
    ):
        command = option(command)
    return command


def code(command: Function) -> Function:
    """Give a command the options ``--code`` and ``--import``."""
    for option in reversed(
        (
            click.option(
                "--code",
                "codes",
                multiple=True,
                metavar="./FILE.py:CLASS",
                help="Where an agent or environment is, if it has no packaging; its content must "
                "be what it was; repeatable.",
            ),
            click.option(
                "--import",
                "imports",
                multiple=True,
                metavar="MODULE",
                help="Module that the directory may ask to import; repeatable.",
            ),
        )
    ):
        command = option(command)
    return command
