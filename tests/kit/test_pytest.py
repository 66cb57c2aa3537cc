"""The decorator, in a pytest of its own."""

import os
import subprocess
import sys

import pytest

from mfbpi_core.errors import NotFoundError
from mfbpi_core.testing import parametrize_with_checks

TEST = """
from mfbpi_core.testing import parametrize_with_checks

@parametrize_with_checks("kit-specs", {expected})
def test_conformance(check):
    check()
"""


@pytest.fixture
def run(install, tmp_path):
    """Runs pytest on the specs at fault with some expected failures; returns its output."""
    install("kit-specs", "kit_specs")

    def pytest_output(expected, *options):
        (tmp_path / "test_it.py").write_text(TEST.format(expected=expected))
        (tmp_path / "pytest.ini").write_text("[pytest]\n")
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", *options]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(
            [*command, "test_it.py"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    return pytest_output


def test_ids_and_outcomes(run):
    """Ids are kind-name-check and can be selected; failures fail, skips are skipped."""
    output = run({}, "-k", "(twolines and spec) or (linear and drivers)")

    assert "FAILED test_it.py::test_conformance[agent-twolines-spec_is_valid]" in output
    assert "PASSED test_it.py::test_conformance[agent-twolines-spec_pickles]" in output
    assert "1 skipped" in output
    assert "no environment installed has a simulator" in output


def test_expected_failures_are_strict(run):
    """An expected failure that fails is fine; one that passes is not."""
    expected = {"spec_is_valid": "for show", "spec_pickles": "wrongly"}

    output = run(expected, "-k", "twolines and spec")

    assert "XFAIL test_it.py::test_conformance[agent-twolines-spec_is_valid] - for show" in output
    assert "[XPASS(strict)] wrongly" in output
    assert "1 failed, " in output


def test_expected_failure_of_an_unknown_check():
    """A check that does not exist cannot be expected to fail."""
    with pytest.raises(NotFoundError, match=r"has no checks \['no_such_check'\]"):
        parametrize_with_checks("mfbpi-env-riverswim", {"no_such_check": "a slip"})
