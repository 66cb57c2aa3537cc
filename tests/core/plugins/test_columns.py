"""Columns of metrics: none has a name that the framework writes itself."""

from __future__ import annotations

import pytest

from mfbpi_core.errors import PluginError
from mfbpi_core.plugins.spec import RESERVED, Column
from mfbpi_core.plugins.specs import MetricSpec
from mfbpi_core.running.stopping import COLUMNS


@pytest.mark.parametrize("name", RESERVED)
def test_what_stopping_rules_write_is_not_a_metrics(name: str) -> None:
    """It would be taken for theirs."""
    with pytest.raises(PluginError, match=rf"columns has '{name}', which the framework itself"):
        MetricSpec(name="own", factory="own:Own", columns=(Column(name="a"), Column(name=name)))


def test_all_that_they_write_is_reserved() -> None:
    """The two lists are the same."""
    assert tuple(column.name for column in COLUMNS) == RESERVED
