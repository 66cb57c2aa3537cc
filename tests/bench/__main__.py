"""Print every benchmark: ``python -m tests.bench [NAME...]``."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys

# One thread, set before numpy is imported: costs per step are costs of one core.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import tests.bench  # noqa: E402 - after the environment is set


def main(chosen: list[str]) -> None:
    """Run the benchmarks named, or all; each module ``bench_*`` yields lines from ``rows()``."""
    for module in pkgutil.iter_modules(tests.bench.__path__, "tests.bench."):
        name = module.name.removeprefix("tests.bench.bench_")
        if name != module.name and (not chosen or name in chosen):
            for line in importlib.import_module(module.name).rows():
                print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
