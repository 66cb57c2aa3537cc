"""``mfbpi verify``: is a certificate valid?"""

from __future__ import annotations

import time

import click

from mfbpi.api.verifying import MOST_STEPS
from mfbpi.api.verifying import verify as verify_file
from mfbpi.results.storage.places import Place
from mfbpi_core.errors import UsageError
from mfbpi_lib_certificates.report import Report
from mfbpi_run.command import PLACE, Command
from mfbpi_run.exit_codes import FAILED, USAGE
from mfbpi_run.flags import spelled
from mfbpi_run.screen.output import say, show_json, tell

#: Seconds between two lines of a long replay.
EVERY_S = 5.0


@click.command(cls=Command, name="verify")
@click.argument("files", type=PLACE, nargs=-1, required=True, metavar="FILE...")
@click.option("--replay", is_flag=True, help="Also run each task again, and compare the counts.")
@click.option(
    "--most-steps",
    type=click.IntRange(min=1),
    default=MOST_STEPS,
    show_default=True,
    metavar="N",
    help="With --replay, refuse certificates of longer runs.",
)
@click.option(
    "--import",
    "imports",
    multiple=True,
    metavar="MODULE",
    help="With --replay, module that a FILE may ask to import; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def verify(
    files: tuple[Place, ...], replay: bool, most_steps: int, imports: tuple[str, ...], as_json: bool
) -> int:
    """Verify certificates: counts, thresholds, every bound, and the claim that follows.

    It trusts no number of a FILE and shares no code with the rule that wrote it. Counts that are
    invented as a whole are found by --replay alone, which runs the task from its seed with the
    plugins that are installed here. Exit code 0: all are valid; 1: one is not; 2: one cannot be
    read.

    Example: mfbpi verify results/_certificates/*.json
    """
    code, found = 0, {}
    for path in files:
        try:
            found[str(path)] = verify_file(
                path,
                replay=replay,
                most_steps=most_steps,
                progress=_Told(path),
                imports=imports,
            )
        except UsageError as error:
            tell(f"error: {spelled(str(error))}")
            code = USAGE
    if as_json:
        show_json({"certificates": {path: _plain(report) for path, report in found.items()}})
    else:
        for name, report in found.items():
            _show(name, report)
    if all(report.valid for report in found.values()):
        return code
    return max(code, FAILED)


def _plain(report: Report) -> dict[str, object]:
    checks = [{"check": c.name, "passed": c.passed, "detail": c.detail} for c in report.checks]
    return {"valid": report.valid, "claim": report.claim, "checks": checks}


def _show(path: str, report: Report) -> None:
    """One line for each check, and one for the file."""
    for check in report.checks:
        say(f"{'ok  ' if check.passed else 'FAIL'} {check.name}: {spelled(check.detail)}")
    say(f"{path}: {f'valid: {report.claim}' if report.valid else 'NOT VALID'}.")


class _Told:
    """Tells how far a run is that is run again, every few seconds.

    Args:
        path: the certificate.
    """

    def __init__(self, path: Place) -> None:
        self._path = path
        self._next = time.monotonic() + EVERY_S

    def __call__(self, done: int, steps: int) -> None:
        """A line, if it is time for one."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY_S
            tell(f"{self._path}: run again, {done:,} of {steps:,} steps")
