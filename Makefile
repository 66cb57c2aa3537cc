# Two commands for a newcomer: `make run` (the main job) and `make test` (everything).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check --quiet
SOURCES := mfbpi_core plugins runners tests

.PHONY: run install test test-slow lint format bench chaos compare docs dist dist-check version clean

run: $(VENV)/.run.ok  ## the main job: MF-BPI on RiverSwim, 10 seeds of 50,000 steps
	$(BIN)/mfbpi-run --agent mf_bpi --env riverswim

install: $(VENV)/.ok  ## every package and every development tool

test: install  ## the default test suite, on every core
	$(BIN)/python -m pytest -n auto

test-slow: install  ## the long reproductions as well
	$(BIN)/python -m pytest -n auto -m "slow or not slow"

lint: install  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: install  ## speed, as ratios measured side by side
	$(BIN)/python -m tests.bench

compare: install  ## rows and speed against another checkout with a .venv: make compare BASE=../other
	$(BIN)/python -m tests.compare rows $(BASE)
	$(BIN)/python -m tests.compare speed $(BASE)

docs: $(VENV)/.docs.ok  ## the documentation site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

dist: install  ## every sdist and wheel, in dist/
	$(BIN)/python -m tests.distributions dist

dist-check: install  ## the same, and they must work in a clean environment, without this checkout
	$(BIN)/python -m tests.distributions dist --check

version:  ## one version for all packages: make version V=0.2.0
	sed -i -E 's/^version = "[^"]*"/version = "$(V)"/; s/"(mfbpi[^">=]*)==[^"]*"/"\1==$(V)"/g' \
		pyproject.toml plugins/*/*/pyproject.toml runners/*/pyproject.toml

chaos: install  ## kills of drivers and workers, bad connections, full disks; every table must come out as if undisturbed
	for place in files s3; do for mode in process shards ray; do \
		$(BIN)/python -m tests.chaos --kills 50 --seed 0 --mode $$mode --place $$place || exit 1; \
	done; done
	$(BIN)/python -m pytest -m slow tests/chaos/test_full_disk.py

clean:  ## forget compiled code and results of tools, not results of runs
	find . -name __pycache__ -type d -not -path "./$(VENV)/*" -prune -exec rm -rf {} +
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Third-party packages come first, each built in isolation; ours follow in one pip call, so that
# pip never looks for them on an index. `pip check` verifies what --no-deps skipped.
$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run.ok: requirements-build.txt requirements-run.txt requirements-run-local.txt | $(VENV)/bin/python
	$(PIP) -r requirements-build.txt -r requirements-run.txt
	$(PIP) --no-deps --no-build-isolation -r requirements-run-local.txt
	$(BIN)/python -m pip check
	touch $@

$(VENV)/.docs.ok: requirements-docs.txt | $(VENV)/.ok
	$(PIP) -r requirements-docs.txt
	touch $@

$(VENV)/.ok: requirements-build.txt requirements-run.txt requirements.txt requirements-local.txt | $(VENV)/bin/python
	$(PIP) -r requirements-build.txt -r requirements.txt
	$(PIP) --no-deps --no-build-isolation -r requirements-local.txt
	$(BIN)/python -m pip check
	touch $@ $(VENV)/.run.ok
