"""What the errors of remote file systems mean: whether to try again, and a sentence for people."""

from __future__ import annotations

import errno
import re

from mfbpi_core.errors import UsageError

#: Longest part of a foreign message that is repeated.
_SHORT = 200

_REFUSED = (
    "ACCESS_DENIED|INVALID_ACCESS_KEY_ID|INVALID_CLIENT_TOKEN_ID|SIGNATURE_DOES_NOT_MATCH|"
    "MISSING_AUTHENTICATION_TOKEN|UNRECOGNIZED_CLIENT|EXPIRED_TOKEN|INVALID_SIGNATURE|"
    "status:? (401|403)|UNAUTHENTICATED|PERMISSION_DENIED"
)

_CREDENTIALS = (
    "the credentials are refused, or there are none; give them as the tools of the store take "
    "them, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or a profile"
)

#: Pattern of a message to what it means; the first that is found counts.
_MEANINGS = (
    (
        "NO_SUCH_BUCKET|Bucket '[^']*' not found|bucket does not exist",
        "there is no such bucket; create it first, or correct the name",
    ),
    (_REFUSED, _CREDENTIALS),
    (
        "Protocol not known|Unrecognized filesystem type",
        "no file system is known for such URLs; expected file:///, s3://, gs:// or one of fsspec",
    ),
    (
        "HTTP status 301|PERMANENT_REDIRECT|AUTHORIZATION_HEADER_MALFORMED",
        "the bucket is in another region; add ?region=NAME to the URL",
    ),
    (
        r"HTTP status (400|405|501)\b|INVALID_BUCKET_NAME|INVALID_ARGUMENT",
        "the server does not accept the request; is it the URL of an object store?",
    ),
)

_UNREACHED = re.compile(
    r"curlCode: (5|6|7|28|35|52|56|60)\b|NETWORK_CONNECTION|UNAVAILABLE|[Cc]onnection refused|"
    r"Could ?n.t (connect|resolve)|timed out"
)


class RemoteError(OSError, UsageError):
    """A remote file system could not do what was asked."""

    def __str__(self) -> str:
        return str(self.strerror)


def is_final(error: BaseException) -> bool:
    """Whether it makes no sense to try again."""
    if isinstance(error, FileNotFoundError | FileExistsError | PermissionError):
        return True
    if not isinstance(error, OSError):
        return True
    return any(re.search(pattern, str(error)) for pattern, _ in _MEANINGS)


def explained(error: BaseException, where: str) -> OSError:
    """The error for people: what is the matter with which place.

    Args:
        error: what was raised.
        where: the place, without anything secret.
    """
    if isinstance(error, FileNotFoundError) and not _means(str(error)):
        return FileNotFoundError(errno.ENOENT, "it is not there", where)
    return RemoteError(errno.EIO, _sentence(" ".join(str(error).split()), where))


def _sentence(text: str, where: str) -> str:
    meaning = _means(text)
    if meaning:
        return f"{where}: {meaning}"
    if _UNREACHED.search(text):
        told = re.search(r"curlCode.*|CURL error.*", text)
        detail = (told[0] if told else text).rpartition("Details: ")[2]
        return f"{where}: the server cannot be reached ({detail[:_SHORT]})"
    return f"{where}: {text[:_SHORT]}"


def _means(text: str) -> str:
    return next((meaning for pattern, meaning in _MEANINGS if re.search(pattern, text)), "")
