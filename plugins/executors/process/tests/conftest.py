from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def kit(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module of tasks, importable in workers as here."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    yield importlib.import_module("process_test_tasks")
    sys.modules.pop("process_test_tasks")
