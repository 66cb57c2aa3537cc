"""Checks of every distribution and of every plugin, whatever its kind."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
from importlib.metadata import EntryPoint

import attrs

from mfbpi_core.contracts import parameters as configuration
from mfbpi_core.plugins.plugin import PluginProblem
from mfbpi_core.testing.outcomes import require
from mfbpi_core.testing.subject import Subject
from mfbpi_core.testing.tools.comparison import require_equal

#: Packages that take long to import, or that listing plugins must not need.
HEAVY = (
    "numba",
    "torch",
    "cvxpy",
    "bsuite",
    "pandas",
    "scipy",
    "pyarrow",
    "matplotlib",
)

#: Seconds after which importing an entry point is given up.
IMPORT_TIMEOUT_S = 60.0

_REQUIREMENT = re.compile(r"mfbpi[-_.]core(?![-_.\w])\s*(\[[^\]]*\])?\s*\(?([^;)]*)", re.IGNORECASE)

# Prints what importing the module adds to what importing the core has brought in.
_IMPORT_PROBE = """
import importlib, sys
import mfbpi_core
before = set(sys.modules)
importlib.import_module(sys.argv[1])
print(*{name.partition(".")[0] for name in set(sys.modules) - before})
"""


@attrs.frozen(kw_only=True)
class Distribution:
    """An installed distribution with entry points of ours.

    Attributes:
        name: its name.
        points: its entry points.
        requirements: what its metadata requires.
        problems: why some of its entry points could not be used.
    """

    name: str
    points: tuple[EntryPoint, ...]
    requirements: tuple[str, ...]
    problems: tuple[PluginProblem, ...]


def loads(distribution: Distribution) -> None:
    """Every entry point imports, registers and yields valid specs."""
    problems = "; ".join(str(problem) for problem in distribution.problems)
    require(not distribution.problems, problems)


def imports_light(distribution: Distribution) -> None:
    """Importing the module of an entry point imports no heavy package."""
    for point in distribution.points:
        heavy = sorted(_imported_by(point.module).intersection(HEAVY))
        require(
            not heavy,
            f"importing {point.module} imports {', '.join(heavy)}; "
            "import it in the module that the spec's factory names",
        )


def _imported_by(module: str) -> set[str]:
    """Top-level packages that a new process imports for a module."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT_PROBE, module],
        env=environment,
        capture_output=True,
        text=True,
        timeout=IMPORT_TIMEOUT_S,
        check=False,
    )
    require(done.returncode == 0, f"importing {module} in a new process fails: {done.stderr}")
    return set(done.stdout.split())


def requires_core_with_bounds(distribution: Distribution) -> None:
    """The metadata require mfbpi-core with a lower and an upper bound."""
    advice = 'expected a requirement such as "mfbpi-core>=0.1,<1"'
    for requirement in distribution.requirements:
        found = _REQUIREMENT.match(requirement)
        if found is None:
            continue
        operators = set(re.findall(r"[<>=~!]+", found.group(2)))
        require(
            operators & {">=", ">", "==", "~="}, f"{requirement!r} has no lower bound; {advice}"
        )
        require(
            operators & {"<=", "<", "==", "~="}, f"{requirement!r} has no upper bound; {advice}"
        )
        return
    require(False, f"requires {', '.join(distribution.requirements) or 'nothing'}; {advice}")


def spec_is_valid(subject: Subject) -> None:
    """The spec passes its validators, has a one-line summary, and names what exists."""
    spec = subject.plugin.spec
    attrs.evolve(spec)
    require("\n" not in spec.summary, f"the summary has several lines: {spec.summary!r}")
    columns = getattr(spec, "columns", None)
    if columns is not None:
        names = [column.name for column in columns]
        require(names, "the spec declares no columns; expected at least one")
        require(len(set(names)) == len(names), f"the columns {names} are not distinct")
        for c in columns:
            require(c.low < c.high, f"column {c.name} has the range [{c.low}, {c.high}]")
    if getattr(spec, "argument", ""):
        known = [field.name for field in attrs.fields(subject.plugin.load_config())]
        require(spec.argument in known, f"argument is {spec.argument!r}; parameters are {known}")


def spec_pickles(subject: Subject) -> None:
    """The spec survives pickling, as it must to reach a worker process."""
    spec = subject.plugin.spec
    require_equal(spec, pickle.loads(pickle.dumps(spec)), "the spec changes when pickled")


def imports_name_their_objects(subject: Subject) -> None:
    """The factory and the configuration can be imported and fit the kind's contract."""
    plugin = subject.plugin
    plugin.load_factory()
    plugin.load_config()


def config_round_trips(subject: Subject) -> None:
    """The configuration can be built without arguments, and survives JSON."""
    kind = subject.plugin.load_config()
    config = kind()
    values = configuration.to_dict(config)
    try:
        text = json.dumps(values, allow_nan=False)
    except (TypeError, ValueError) as error:
        require(False, f"the defaults {values} cannot be written as JSON: {error}")
    again = configuration.from_dict(kind, json.loads(text))
    require_equal(config, again, "the configuration changes on its way through JSON")
    configuration.describe(kind)


DISTRIBUTION_CHECKS = (loads, imports_light, requires_core_with_bounds)

CHECKS = (spec_is_valid, spec_pickles, imports_name_their_objects, config_round_trips)
