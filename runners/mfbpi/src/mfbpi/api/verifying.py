"""Certificates that somebody wrote: are they valid, and does their run give them again?"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import attrs

from mfbpi.results.storage.places import Place, parse
from mfbpi.results.storage.remote.place import Remote
from mfbpi_core.errors import MfbpiError, UsageError
from mfbpi_lib_certificates.report import Check, RefusedError, Report
from mfbpi_lib_certificates.verification import verify as verify_file

#: Names of the large arrays that lie beside a certificate, in its text.
_BESIDE = re.compile(rb"\b[0-9a-f]{64}\.npz\b")


def verify(path: str | Place, *, replay: bool = False) -> Report:
    """Check a certificate by what makes its numbers valid, without the rule that wrote it.

    Args:
        path: the certificate, a JSON file; large arrays lie beside it.
        replay: whether to run the task again from its seed, with the plugins that are installed,
            and compare counts and verdict: a consistent invention cannot be found otherwise.

    Returns:
        Whether it is ``valid``, what it then says, ``claim``, and each of the ``checks``, up to
        the first that fails.

    Raises:
        UsageError: when the file, or the arrays beside it, cannot be read.
    """
    place = parse(path)
    if isinstance(place, Path):
        return _verified(place, replay=replay)
    with tempfile.TemporaryDirectory(prefix="mfbpi-") as folder:
        return _verified(_fetched(place, Path(folder)), replay=replay)


def _verified(path: Path, *, replay: bool) -> Report:
    report = verify_file(path)
    if not (replay and report.valid):
        return report
    # Imported here because only a replay runs anything.
    from mfbpi.execute.working.replaying import replayed

    try:
        check = Check("replay", True, replayed(path))
    except (RefusedError, MfbpiError) as error:
        return Report((*report.checks, Check("replay", False, str(error))), "")
    return attrs.evolve(report, checks=(*report.checks, check))


def _fetched(place: Remote, folder: Path) -> Path:
    """The certificate and its arrays, on this machine."""
    try:
        content = place.read_bytes()
    except FileNotFoundError as error:
        raise UsageError(f"cannot read {place}: {error.strerror}") from error
    for name in {found.decode() for found in _BESIDE.findall(content)}:
        beside = place.with_name(name)
        if beside.is_file():
            (folder / name).write_bytes(beside.read_bytes())
    copy = folder / "certificate.json"
    copy.write_bytes(content)
    return copy
