"""``python -m mfbpi_run`` is ``mfbpi``."""

import sys

from mfbpi_run.cli import main

if __name__ == "__main__":
    sys.exit(main())
