"""Certificates as the fields of their files, for tests that read or change them."""

from __future__ import annotations

import json
from typing import Any

from mfbpi_lib_certificates import storage
from mfbpi_lib_certificates.certificate import Certificate
from mfbpi_lib_certificates.verification import verified

Fields = dict[str, Any]


def fields_of(made: Certificate) -> Fields:
    """What is read from its file."""
    files = storage.contents(made)
    assert set(files) == {""}
    found: Fields = json.loads(files[""])
    return found


def refused(fields: Fields) -> bool:
    """Whether these fields are no valid certificate."""
    return not verified(fields).valid
