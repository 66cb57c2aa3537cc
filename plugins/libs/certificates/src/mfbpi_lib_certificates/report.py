"""What a verification says: one line for each check."""

from __future__ import annotations

import attrs


class RefusedError(Exception):
    """A check failed; the message says what is wrong."""


@attrs.frozen
class Check:
    """One check.

    Attributes:
        name: what was checked.
        passed: whether it holds.
        detail: what was found.
    """

    name: str
    passed: bool
    detail: str


@attrs.frozen
class Report:
    """All checks of a certificate, up to the first that what follows cannot do without.

    Attributes:
        checks: in the order in which they were made.
        claim: what the certificate says, in words; true if it is valid.
    """

    checks: tuple[Check, ...]
    claim: str

    @property
    def valid(self) -> bool:
        """Whether every check passed."""
        return bool(self.checks) and all(check.passed for check in self.checks)
