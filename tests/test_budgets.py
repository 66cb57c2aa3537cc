"""Budgets: lines of files and functions, and what may be imported before it is needed."""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

#: Packages that neither listing plugins nor importing a lib may need.
HEAVY = {
    "bsuite",
    "cvxpy",
    "gymnasium",
    "matplotlib",
    "numba",
    "pandas",
    "pyarrow",
    "scipy",
    "torch",
}

#: Most lines of a file, and of one in the core.
FILE_LINES, CORE_FILE_LINES = 300, 200

#: Median, 90th percentile and maximum of the lines of functions, docstrings not counted.
MEDIAN, NINTH_TENTH, LONGEST = 8, 25, 60

LIBS = sorted(path.parent.name for path in ROOT.glob("plugins/libs/*/pyproject.toml"))


def sources() -> list[Path]:
    """Every Python file that is installed."""
    places = ("mfbpi_core", "plugins/*/*/src", "runners/*/src")
    return sorted(path for place in places for path in ROOT.glob(f"{place}/**/*.py"))


def checked_files() -> list[Path]:
    """Every Python file that tests."""
    places = ("tests", "plugins/*/*/tests", "runners/*/tests")
    return sorted(path for place in places for path in ROOT.glob(f"{place}/**/*.py"))


def test_files_are_short() -> None:
    """No file over 300 lines, none in the core over 200."""
    long = {}
    for path in sources() + checked_files():
        limit = CORE_FILE_LINES if path.is_relative_to(ROOT / "mfbpi_core") else FILE_LINES
        lines = len(path.read_text().splitlines())
        if lines > limit:
            long[str(path.relative_to(ROOT))] = lines

    assert long == {}


def function_lines() -> dict[str, int]:
    """Lines of every function that is installed, docstring not counted, by its place."""
    found = {}
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found[f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"] = own_lines(node)
    return found


def own_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from def to end without the docstring."""
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    if ast.get_docstring(node) is not None:
        lines -= (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
    return lines


def test_functions_are_short() -> None:
    """Median, 90th percentile and maximum stay within their limits."""
    lines = function_lines()
    tenths = statistics.quantiles(lines.values(), n=10)

    assert tenths[4] <= MEDIAN
    assert tenths[8] <= NINTH_TENTH
    assert {place: n for place, n in lines.items() if n > LONGEST} == {}


def heavy_after(code: str) -> set[str]:
    """Heavy packages that a new process has imported after running some code."""
    probe = f"{code}\nimport sys\nprint('\\nIMPORTED', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("IMPORTED")[2].split()) & HEAVY


@pytest.mark.parametrize(
    "code",
    [
        "from mfbpi_core import Registry; Registry.discover()",
        "import mfbpi_core.testing",
        "import mfbpi; mfbpi.agent('mf_bpi', k=2); dir(mfbpi)",
        "from mfbpi_run.cli import main; main(['--help'])",
        "from mfbpi_run.cli import main; main(['list'])",
        "from mfbpi_run.cli import main; main(['plugins'])",
    ],
)
def test_listing_imports_nothing_heavy(code: str) -> None:
    """Discovery, listing and help leave numba, torch and the like alone."""
    assert heavy_after(code) == set()


@pytest.mark.parametrize("lib", LIBS, ids=LIBS)
def test_libs_import_nothing_heavy(lib: str) -> None:
    """Importing a lib's package costs nothing; its modules import what they need."""
    assert heavy_after(f"import mfbpi_lib_{lib}") == set()
