"""The examples in the docstrings of the public face run as they are written."""

from __future__ import annotations

import doctest
import importlib

import pytest

import mfbpi

#: Modules of what results are made of.
PARTS = {base.__module__ for base in mfbpi.Results.__bases__}

#: Every module that has something public.
MODULES = sorted({"mfbpi", *mfbpi._HOMES.values(), *PARTS} - {"mfbpi_core.errors"})


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    """In an empty directory, with the plugins installed."""
    failed, _ = doctest.testmod(importlib.import_module(name))

    assert failed == 0


@pytest.mark.parametrize("name", mfbpi.__all__)
def test_names_exist_and_are_documented(name: str) -> None:
    """Everything that is offered."""
    assert getattr(mfbpi, name).__doc__
    assert name in dir(mfbpi)
