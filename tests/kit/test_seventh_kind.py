"""A kind of plugin is one row of the table and one contract: all else follows from them."""

import importlib
import sys

import numpy as np
import pytest

import mfbpi
from mfbpi_core import Registry
from mfbpi_core.errors import ConfigError, PluginError, UsageError
from mfbpi_core.plugins import assembly, hookspecs
from mfbpi_core.plugins.kinds import KINDS, kind_called
from mfbpi_core.testing import checks_for
from mfbpi_run import cli

SOURCE = '''
import attrs
from kit_gadget import Gadget, GadgetSpec
from mfbpi_core import hookimpl, parameter


@attrs.frozen(kw_only=True)
class Config:
    size: int = parameter(2, "how large", ge=1)


class Loud(Gadget):
    def say(self):
        return self.config.size + self.rng.random()


class Endless(Gadget):
    def say(self):
        return float("inf")


class OtherSpec(GadgetSpec):
    """A subclass of a kind's spec is of the kind."""


@hookimpl
def mfbpi_gadgets():
    yield GadgetSpec(
        name="loud", factory="loud:Loud", config="loud:Config", summary="Shouts.", loudness="loud"
    )
    yield OtherSpec(name="endless", factory="loud:Endless", summary="Never ends.")
'''


@pytest.fixture
def gadgets(install, monkeypatch):
    """The kind, and a distribution with two plugins of it."""
    install("kit-gadget", "loud", SOURCE)
    row = importlib.import_module("kit_gadget").ROW
    monkeypatch.setitem(KINDS, row.name, row)
    yield Registry.discover()
    for name in ("kit_gadget", "mfbpi_gadget_mine", "mfbpi_gadget_mine.gadget"):
        sys.modules.pop(name, None)


def test_plugins_of_it_are_found_and_built(gadgets):
    """By entry point and hook; the factory gets what the row says, parameters are checked."""
    loud = gadgets.get("gadget", "loud")

    assert [plugin.spec.name for plugin in gadgets.of_kind("gadget")] == ["endless", "loud"]
    built = assembly.build(loud, {"size": 3}, rng=np.random.default_rng(0))
    assert 3.0 <= built.say() < 4.0
    with pytest.raises(ConfigError, match="size is 0; expected int >= 1"):
        assembly.build(loud, {"size": 0}, rng=np.random.default_rng(0))


def test_commands_know_it(gadgets, capsys):
    """Listed, shown with what the row tells of it, checked; by its plural too."""
    assert [each.name for each in mfbpi.list_plugins("gadget")] == ["endless", "loud"]
    assert cli.main(["list", "gadgets"]) == 0
    assert "Shouts." in capsys.readouterr().out
    assert cli.main(["show", "gadget", "loud"]) == 0
    assert "loudness: loud" in capsys.readouterr().out
    assert cli.main(["show", "--help"]) == 0
    assert "gadget" in capsys.readouterr().out
    assert cli.main(["check", "kit-gadget"]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "numbers_are_finite" in printed
    assert "1 failed" in printed


def test_checks_of_it_find_the_fault(gadgets):
    """The row's checks run beside those of every plugin."""
    results = [check.result() for check in checks_for("kit-gadget", gadgets)]

    failed = {r.plugin: r.message for r in results if r.status == "failed"}
    assert failed.keys() == {"gadget endless"}
    assert "breaks numbers_are_finite: it said inf" in failed["gadget endless"]
    assert sum(r.check == "config_round_trips" for r in results) == 2


def test_scaffold_of_it_passes_its_checks(gadgets, install, tmp_path, monkeypatch):
    """The row's templates make a package that is found and has no fault."""
    assert cli.main(["new", "gadget", "mine", "--out", str(tmp_path / "new")]) == 0
    monkeypatch.syspath_prepend(str(tmp_path / "new" / "src"))
    registry = install("mfbpi-gadget-mine", "mfbpi_gadget_mine")

    results = [check.result() for check in checks_for("mfbpi-gadget-mine", registry)]

    assert [r.message for r in results if r.status == "failed"] == []
    assert "numbers_are_finite" in {r.check for r in results}


def test_its_hook_is_one_of_the_hooks(gadgets, install):
    """A misspelt one is refused with the right one; its documentation is that of the spec."""
    source = SOURCE.replace("def mfbpi_gadgets", "def mfbpi_gadget")
    [problem] = install("kit-misspelt", "quiet", source.replace("loud:", "quiet:")).problems

    assert isinstance(problem.error, PluginError)
    assert "did you mean mfbpi_gadgets?" in str(problem.error)
    assert "how loud it is" in hookspecs.mfbpi_gadgets.__doc__


def test_without_the_row_there_is_no_such_kind(install):
    """Nothing but the row makes a kind."""
    with pytest.raises(UsageError, match="'gadget' is not a kind of plugin; expected agent, "):
        kind_called("gadget")
    [problem] = install("kit-gadget", "loud", SOURCE).problems
    assert "mfbpi_gadgets is not a hook" in str(problem.error)
