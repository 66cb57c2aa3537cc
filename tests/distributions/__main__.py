"""Build every sdist, and from it the wheel: ``python -m tests.distributions DIR [--check]``.

With ``--check``, what was built is installed into new virtual environments, without this
checkout: its tabular part must run the main job, and the whole each package's tests.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.distributions import build, check

USAGE = 2


def main(arguments: list[str]) -> int:
    """Build, and check if asked to."""
    places = [argument for argument in arguments if argument != "--check"]
    if len(places) != 1:
        print(__doc__, file=sys.stderr)
        return USAGE
    target = Path(places[0]).resolve()
    wheels = build.everything(Path.cwd(), target)
    print(f"{len(wheels)} sdists and {len(wheels)} wheels: {places[0]}")
    return check.everything(Path.cwd(), target) if "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
