"""Certificates that somebody wrote: are they valid?"""

from __future__ import annotations

from pathlib import Path

from mfbpi_lib_certificates.report import Report
from mfbpi_lib_certificates.verification import verify as verify_file


def verify(path: str | Path) -> Report:
    """Check a certificate by what makes its numbers valid, without the rule that wrote it.

    Args:
        path: the certificate, a JSON file; large arrays lie beside it.

    Returns:
        Whether it is ``valid``, what it then says, ``claim``, and each of the ``checks``, up to
        the first that fails.

    Raises:
        UsageError: when the file, or the arrays beside it, cannot be read.
    """
    return verify_file(path)
