"""Certificates that somebody wrote: are they valid?"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from mfbpi.results.storage.places import Place, parse
from mfbpi.results.storage.remote.place import Remote
from mfbpi_core.errors import UsageError
from mfbpi_lib_certificates.report import Report
from mfbpi_lib_certificates.verification import verify as verify_file

#: Names of the large arrays that lie beside a certificate, in its text.
_BESIDE = re.compile(rb"\b[0-9a-f]{64}\.npz\b")


def verify(path: str | Place) -> Report:
    """Check a certificate by what makes its numbers valid, without the rule that wrote it.

    Args:
        path: the certificate, a JSON file; large arrays lie beside it.

    Returns:
        Whether it is ``valid``, what it then says, ``claim``, and each of the ``checks``, up to
        the first that fails.

    Raises:
        UsageError: when the file, or the arrays beside it, cannot be read.
    """
    place = parse(path)
    if isinstance(place, Path):
        return verify_file(place)
    with tempfile.TemporaryDirectory(prefix="mfbpi-") as folder:
        return verify_file(_fetched(place, Path(folder)))


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
