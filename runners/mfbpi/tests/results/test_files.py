"""Files written whole and read with care, where others may have put something in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mfbpi.results.storage import files

TEMPORARY = f".mfbpi-{'0' * 16}.tmp"


def test_link_is_replaced_and_not_followed() -> None:
    """What it pointed to stays as it was."""
    Path("precious").write_bytes(b"mine")
    Path("x").symlink_to("precious")

    files.atomic_write(Path("x"), b"new")

    assert Path("precious").read_bytes() == b"mine"
    assert not Path("x").is_symlink()
    assert Path("x").read_bytes() == b"new"


def test_temporary_names_cannot_be_foreseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two writes of one file use two names; a taken one is an error and never opened."""
    names: list[str] = []
    real = os.open

    def recorded(path: Path, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if not flags & os.O_DIRECTORY:
            names.append(Path(path).name)
            assert flags & os.O_EXCL
            assert flags & os.O_NOFOLLOW
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", recorded)
    files.atomic_write(Path("x"), b"1")
    files.atomic_write(Path("x"), b"2")

    assert len(set(names)) == 2
    Path("precious").write_bytes(b"mine")
    Path(TEMPORARY).symlink_to("precious")
    monkeypatch.setattr("secrets.token_hex", lambda n: "0" * 2 * n)
    with pytest.raises(FileExistsError):
        files.atomic_write(Path("x"), b"3")
    assert Path("precious").read_bytes() == b"mine"
    assert Path("x").read_bytes() == b"2"


def test_pipe_is_neither_waited_for_nor_replaced() -> None:
    """Reading and writing say at once what is there."""
    os.mkfifo("pipe")

    with pytest.raises(OSError, match="no regular file"):
        files.read_regular(Path("pipe"))
    with pytest.raises(OSError, match="not a regular file"):
        files.atomic_write(Path("pipe"), b"")
    assert Path("pipe").is_fifo()


def test_device_is_left_alone() -> None:
    """A link to one, such as /dev/stdout, does not become a file."""
    Path("link").symlink_to("/dev/null")

    with pytest.raises(OSError, match="not a regular file"):
        files.atomic_write(Path("link"), b"")
    assert Path("link").is_symlink()


@pytest.mark.parametrize("place", ["/dev/null", "folder", "link", "nowhere"])
def test_only_regular_files_are_read(place: str) -> None:
    """Devices, folders and links are errors, as what is missing."""
    Path("folder").mkdir()
    Path("target").write_bytes(b"x")
    Path("link").symlink_to("target")

    with pytest.raises(OSError, match=r"regular file|directory|No such file"):
        files.read_regular(Path(place))


def test_link_to_a_folder_is_no_folder() -> None:
    """Results are not written where it points."""
    Path("elsewhere").mkdir()
    Path("_arrays").symlink_to("elsewhere")

    with pytest.raises(OSError, match="_arrays is a link; expected a folder"):
        files.make_folder(Path("_arrays"))


def test_remains_of_killed_writers_are_removed() -> None:
    """A living writer keeps its file, and so does everybody who calls his files otherwise."""
    killed = (
        "import os, pathlib, signal\n"
        "from mfbpi.results.storage import files\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "files.atomic_write(pathlib.Path('x'), b'half')\n"
    )
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == -9
    Path("mine.tmp").write_bytes(b"")
    assert len(list(Path().glob(".mfbpi-*.tmp"))) == 1
    descriptor = os.open(TEMPORARY, os.O_CREAT | os.O_WRONLY)
    files._lock(descriptor)

    files.remove_stale(Path())

    assert {path.name for path in Path().iterdir()} == {"mine.tmp", TEMPORARY}
    os.close(descriptor)
    files.remove_stale(Path())
    assert {path.name for path in Path().iterdir()} == {"mine.tmp"}


def test_full_disk_leaves_the_file_as_it_was() -> None:
    """A limit on the size of files stands for the disk: the system refuses in the middle."""
    code = (
        "import pathlib, resource, sys\n"
        "from mfbpi.results.storage import files\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "files.atomic_write(pathlib.Path('x'), b'before')\n"
        "try:\n"
        "    files.atomic_write(pathlib.Path('x'), bytes(20_000))\n"
        "except OSError as error:\n"
        "    sys.exit(error.strerror)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)

    assert ended.stderr == b"File too large\n"
    assert [path.name for path in Path().iterdir()] == ["x"]
    assert Path("x").read_bytes() == b"before"


def test_what_is_moved_aside_replaces_nothing() -> None:
    """The second of a name gets another."""
    for content in (b"1", b"2"):
        Path("x").write_bytes(content)
        files.move_aside(Path("x"), Path("_set_aside"))

    assert {path.read_bytes() for path in Path("_set_aside").iterdir()} == {b"1", b"2"}
