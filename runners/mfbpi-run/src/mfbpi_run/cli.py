"""The entry points ``mfbpi`` and ``mfbpi-run``; a subcommand is imported only when it is used."""

from __future__ import annotations

import copy
import difflib
import importlib
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import click

from mfbpi_run.command import HELP
from mfbpi_run.exit_codes import FAILED, INTERRUPTED, USAGE
from mfbpi_run.screen.streams import Streams

#: Subcommand to where it is in ``commands`` and what it does, so that help imports none of them.
COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("running.run:run", "Run a grid of agents, environments and seeds."),
    "sweep": ("running.sweep:sweep", "Run an experiment, or the grid of a TOML file."),
    "describe": ("instances.describe:describe", "Describe how hard an instance is."),
    "bound": ("instances.bound:bound", "Bound the number of samples that it needs."),
    "export": ("instances.export:export", "Write a model to a file."),
    "certify": ("stopping.certify:certify", "Judge a log: is a policy identified?"),
    "audit": ("stopping.audit:audit", "Try whether a stopping rule keeps its word."),
    "verify": ("stopping.verify:verify", "Verify certificates of stopping rules."),
    "list": ("registry.list:list_plugins", "List the installed plugins."),
    "show": ("registry.show:show", "Show one plugin with its parameters."),
    "plugins": ("registry.plugins:plugins", "List distributions, and what failed."),
    "check": ("registry.check:check", "Run the conformance checks on a distribution."),
    "collect": ("results.collect:collect", "Join the results of a directory."),
    "status": ("results.status:look", "Tell how far the runs of a directory are."),
    "reproduce": ("results.reproduce:again", "Run a task again, and compare."),
    "plot": ("results.plot:plot", "Draw the results of a directory."),
    "compare": ("results.compare:compare", "Compare agents: which one is better?"),
    "policy": ("results.policy:policy", "Show the policy that a run recommends."),
    "play": ("results.play:play", "Show a policy, or an agent, acting."),
    "new": ("registry.new:new", "Write the scaffold of a new plugin."),
}


class LazyGroup(click.Group):
    """A group that knows the names and summaries of its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the order of :data:`COMMANDS`."""
        return list(COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        cmd_name: str,
    ) -> click.Command | None:
        """Import one command."""
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a command line, or say which one may be meant."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            ctx.fail(f"no command {args[0]!r}; {hint}commands are: {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The commands' part of the help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


def load_command(name: str) -> click.Command:
    """Import a subcommand."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    command: click.Command = getattr(
        importlib.import_module(f"mfbpi_run.commands.{module}"), attribute
    )
    return command


@click.group(cls=LazyGroup, context_settings=HELP)
@click.version_option(package_name="mfbpi-run", prog_name="mfbpi")
def mfbpi() -> None:
    """Best-policy identification: which policy is best, with as few samples as possible?"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of ``mfbpi``; returns the exit code."""
    return invoke("mfbpi", lambda: mfbpi, arguments)


def run_main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of ``mfbpi-run``, the same as ``mfbpi run``; returns the exit code."""
    return invoke("mfbpi-run", _run_alone, arguments)


def _run_alone() -> click.Command:
    """``mfbpi run`` as a program of its own, which has a version."""
    alone = copy.copy(load_command("run"))
    alone.params = [*alone.params]
    return click.version_option(package_name="mfbpi-run", prog_name="mfbpi-run")(alone)


def invoke(
    name: str, load: Callable[[], click.Command], arguments: Sequence[str] | None = None
) -> int:
    """Run a command; every foreseen error becomes a line or two on standard error.

    Args:
        name: how the user calls it.
        load: imports it; Ctrl-C may come that early.
        arguments: of the command line; those of the process if None, which then is the
            command's own, with its standard streams.

    Returns:
        The exit code.
    """
    if arguments is not None:
        return _invoke(name, load, list(arguments))
    streams = Streams()
    warnings.showwarning = _show_warning
    try:
        code = _invoke(name, load, None)
    except KeyboardInterrupt:  # while something was said
        code = _interrupted()
    except Exception:  # a bug: its traceback may quote a plugin
        code = _fail(traceback.format_exc().rstrip(), FAILED, before="")
    problem = streams.problem()
    return code if problem is None else _fail(problem, code or FAILED)


def _show_warning(*about: Any, **settings: Any) -> None:
    # Imported here because most commands warn of nothing, and help does without the core.
    from mfbpi_run.screen.output import show_warning

    show_warning(*about, **settings)


def _invoke(name: str, load: Callable[[], click.Command], arguments: list[str] | None) -> int:
    try:
        code = load().main(args=arguments, prog_name=name, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return USAGE
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else name
        return _fail(f"{error.format_message()}\nTry '{path} --help'.", USAGE)
    except click.ClickException as error:
        return _fail(error.format_message(), USAGE)
    except (KeyboardInterrupt, click.Abort):
        return _interrupted()
    except Exception as error:
        return _foreseen(error)
    return code if isinstance(code, int) else 0


def _interrupted() -> int:
    # Nothing is imported here: numpy cannot be, where Ctrl-C came while it was.
    click.echo("error: interrupted", err=True)
    return INTERRUPTED


def _foreseen(error: Exception) -> int:
    """The exit code of an error of ours, after showing it; any other is a bug and goes on."""
    # Imported here because `mfbpi --help` does without the core.
    from mfbpi_core.errors import MfbpiError, UsageError
    from mfbpi_run.flags import spelled

    if not isinstance(error, MfbpiError):
        raise error
    message = spelled(" ".join(str(error).split()))
    return _fail(message, USAGE if isinstance(error, UsageError) else FAILED)


def _fail(message: str, code: int, before: str = "error: ") -> int:
    from mfbpi_run.screen.output import tell

    tell(f"{before}{message}")
    return code


if __name__ == "__main__":
    sys.exit(main())
