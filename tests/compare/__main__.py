"""Compare this checkout with another: ``python -m tests.compare rows|speed OTHER [NAME...]``.

OTHER is a checkout with its own virtual environment in ``.venv``; ``make install`` makes it. Exit
status 1 says that rows differ, or that something has become slower.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.compare import rows, speed

USAGE = 2


def main(arguments: list[str]) -> int:
    """Compare, and print what was found."""
    if len(arguments) < 2 or arguments[0] not in ("rows", "speed"):
        print(__doc__, file=sys.stderr)
        return USAGE
    here, other = Path.cwd(), Path(arguments[1]).resolve()
    compared = rows.compare if arguments[0] == "rows" else speed.compare
    return compared(here, other, arguments[2:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
