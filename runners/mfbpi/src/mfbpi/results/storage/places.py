"""Where results lie: a path of this machine, or the URL of a file system that pyarrow knows."""

from __future__ import annotations

import re
import urllib.parse
from pathlib import Path
from typing import TypeAlias

from mfbpi.results.storage.remote.place import Remote
from mfbpi_core.errors import UsageError

Place: TypeAlias = Path | Remote

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(//)?.*", re.DOTALL)

#: Parts of the names of options that are secrets.
_SECRET = re.compile(r"secret|password|token|credential|access_?key|^sig$|^key$", re.IGNORECASE)

#: What a URL of S3 may ask for.
_S3_OPTIONS = ("endpoint_override", "region", "scheme", "tls_ca_file_path")

#: Schemes that pyarrow reads; others are reached through fsspec.
_ARROW = ("s3", "gs", "gcs", "hdfs", "viewfs", "abfs", "abfss")

#: What stands for nobody in the URL of a public bucket.
_NOBODY = "anonymous"


def parse(given: str | Path | Remote) -> Place:
    """The place that a path or a URL names; ``file:`` URLs are paths.

    Raises:
        UsageError: when it is no URL that results can lie at.

    Example:
        >>> parse("s3://bucket/study/one").name, parse("file:///tmp/x"), parse("results/x")
        ('one', PosixPath('/tmp/x'), PosixPath('results/x'))
    """
    if isinstance(given, Path | Remote):
        return given
    if not isinstance(given, str):
        raise UsageError(
            f"a place of results is {given!r:.80}; expected the path of a directory or a URL, each "
            "as an argument of its own where several are taken"
        )
    matched = _URL.fullmatch(given)
    scheme = "" if matched is None else matched[1].lower()
    if scheme == "file":
        return _local(given)
    if matched is not None and matched[2]:
        return _remote(given)
    if scheme in _ARROW:
        raise UsageError(
            f"{given!r}: expected {scheme}://BUCKET/PATH, with two slashes; a directory of this "
            f"name is ./{given}"
        )
    return at_home(given)


def at_home(given: str) -> Path:
    """A path of this machine; ``~`` at its beginning is the user's home, as in a shell."""
    path = Path(given)
    try:
        return path.expanduser() if given.startswith("~") else path
    except RuntimeError:  # nobody is called so
        return path


def _local(given: str) -> Path:
    parts = urllib.parse.urlsplit(given)
    if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
        raise UsageError(f"{given!r}: expected file:///PATH, from the root of this machine")
    if parts.query or parts.fragment:
        raise UsageError(f"{given!r}: expected a path alone; in a name, %3F is ? and %23 is #")
    return Path(urllib.parse.unquote(parts.path))


def _remote(given: str) -> Remote:
    parts = urllib.parse.urlsplit(given)
    scheme = parts.scheme.lower()
    _refuse_secrets(parts)
    if scheme not in _ARROW and not scheme.startswith("fsspec+"):
        scheme = f"fsspec+{scheme}"
    key = urllib.parse.unquote(parts.path).strip("/")
    shown = urllib.parse.urlunsplit(parts)
    if not parts.netloc and scheme in ("s3", "gs", "gcs"):
        raise UsageError(f"{shown!r}: expected {scheme}://BUCKET/PATH")
    if any(part in ("", ".", "..") for part in key.split("/") if key) or not key.isprintable():
        raise UsageError(f"{shown!r}: expected names between the slashes, not '..' or nothing")
    options = urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
    _refuse_unknown(scheme, shown, [name for name, _ in options])
    return Remote(f"{scheme}://{parts.netloc}", key, tuple(options))


def _refuse_secrets(parts: urllib.parse.SplitResult) -> None:
    """Secrets on a command line are seen by everyone on the machine, and end in histories."""
    user, at, _ = parts.netloc.rpartition("@")
    asked = [name for name, _ in urllib.parse.parse_qsl(parts.query, keep_blank_values=True)]
    in_user = at and (":" in user or parts.scheme.lower() == "s3") and user != _NOBODY
    if in_user or any(map(_SECRET.search, asked)):
        raise UsageError(
            f"a {parts.scheme}: URL with credentials in it: give them where others do not see "
            "them, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or "
            "GOOGLE_APPLICATION_CREDENTIALS"
        )


def _refuse_unknown(scheme: str, shown: str, asked: list[str]) -> None:
    unknown = [name for name in asked if scheme == "s3" and name not in _S3_OPTIONS]
    if unknown:
        raise UsageError(f"{shown!r} asks for {unknown[0]}; expected {', '.join(_S3_OPTIONS)}")
