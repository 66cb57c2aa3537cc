"""What importing the library imports."""

import subprocess
import sys


def test_library_imports_no_bsuite():
    """Who imports the library does not pay for bsuite."""
    modules = "mfbpi_lib_bsuite.environment, mfbpi_lib_bsuite.raw"
    probe = f"import sys, {modules}; print('bsuite' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.strip() == "False"
