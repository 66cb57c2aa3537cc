"""Certificates that somebody wrote: are they valid, and does their run give them again?"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

import attrs

from mfbpi.plan.trust import UntrustedError
from mfbpi.results.storage.places import Place, parse
from mfbpi.results.storage.remote.place import Remote
from mfbpi_core.errors import MfbpiError, UsageError
from mfbpi_lib_certificates import storage
from mfbpi_lib_certificates.report import Check, RefusedError, Report
from mfbpi_lib_certificates.verification import verify as verify_file

#: Names of the large arrays that lie beside a certificate, in its text.
_BESIDE = re.compile(rb"\b[0-9a-f]{64}\.npz\b")


#: Longer runs are not run again unless that is asked for: a certificate may claim any length.
MOST_STEPS = 10_000_000


def verify(
    path: str | Place,
    *,
    replay: bool = False,
    most_steps: int = MOST_STEPS,
    progress: Callable[[int, int], None] | None = None,
    imports: Collection[str] = (),
) -> Report:
    """Check a certificate by what makes its numbers valid, without the rule that wrote it.

    Args:
        path: the certificate, a JSON file; large arrays lie beside it.
        replay: whether to run the task again from its seed, with the plugins that are installed,
            and compare counts and verdict: a consistent invention cannot be found otherwise.
        most_steps: a run of more steps is not run again.
        progress: told now and then how many steps of how many have been run again.
        imports: modules that the certificate may ask to import, such as that of an environment of
            Gymnasium's; they are code, and run here.

    Returns:
        Whether it is ``valid``, what it then says, ``claim``, and each of the ``checks``, up to
        the first that fails.

    Raises:
        UsageError: when the file, or the arrays beside it, cannot be read, or `most_steps` is
            below 1, or it asks to import a module that is not allowed.
    """
    if most_steps < 1:
        raise UsageError(f"`most_steps` is {most_steps}; expected at least 1")
    place = parse(path)
    with contextlib.ExitStack() as stack:
        if not isinstance(place, Path):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mfbpi-"))
            place = _fetched(place, Path(folder))
        report = verify_file(place)
        if not (replay and report.valid):
            return report
        return _again(place, report, imports, most_steps, progress)


def _again(
    path: Path,
    report: Report,
    imports: Collection[str],
    most_steps: int,
    progress: Callable[[int, int], None] | None,
) -> Report:
    """The report of a valid certificate, after its task was run again."""
    # Imported here because only a replay runs anything.
    from mfbpi.execute.working.replaying import replayed

    try:
        check = Check("replay", True, replayed(path, most_steps, progress, imports))
    except UntrustedError:
        raise
    except (RefusedError, MfbpiError) as error:
        return Report((*report.checks, Check("replay", False, str(error))), "")
    return attrs.evolve(report, checks=(*report.checks, check))


def _fetched(place: Remote, folder: Path) -> Path:
    """The certificate and its arrays, on this machine."""
    try:
        content = _limited(place, storage.LARGEST_JSON)
    except FileNotFoundError as error:
        raise UsageError(f"cannot read {place}: {error.strerror}") from error
    for name in {found.decode() for found in _BESIDE.findall(content)}:
        beside = place.with_name(name)
        if beside.is_file():
            (folder / name).write_bytes(_limited(beside, storage.LARGEST_ARRAYS))
    copy = folder / "certificate.json"
    copy.write_bytes(content)
    return copy


def _limited(place: Remote, most: int) -> bytes:
    """The content of a file elsewhere; of one that is too large, only the beginning is read."""
    return storage.within(place.read_bytes(most + 1), place, most)
