"""The commands beside ``run``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mfbpi_core.testing
from mfbpi.results.storage import table
from mfbpi_run import cli, scaffold

Command = Callable[..., Any]


def test_help_lists_every_command(mfbpi: Command) -> None:
    """With the summary that the table of commands gives."""
    out = mfbpi("--help").out

    for name, (_, summary) in cli.COMMANDS.items():
        assert name in out
        assert summary in out


@pytest.mark.parametrize("name", list(cli.COMMANDS))
def test_command_has_the_summary_of_the_table(name: str, mfbpi: Command) -> None:
    """Each command can be loaded and explains itself."""
    assert cli.load_command(name).name == name
    assert mfbpi(name, "--help").code == 0


def test_version_is_the_runner_s(mfbpi: Command) -> None:
    """``mfbpi --version``."""
    assert mfbpi("--version").out.startswith("mfbpi, version 0.")


def test_list_shows_kind_name_summary_and_distribution(mfbpi: Command) -> None:
    """All kinds, or one."""
    everything = mfbpi("list").out
    agents = mfbpi("list", "agents").out

    assert "A ring." in everything
    assert "biased" in agents
    assert "mfbpi-toy" in agents
    assert "ring" not in agents.split()
    listed = mfbpi("list", "env", "--json").json["plugins"]
    assert {"kind", "name", "summary", "distribution", "version"} == listed[0].keys()
    assert {plugin["kind"] for plugin in listed} == {"environment"}


def test_show_gives_parameters_with_range_default_and_source(mfbpi: Command) -> None:
    """And for metrics the columns."""
    shown = mfbpi("show", "agent", "biased").out
    described = mfbpi("show", "agent", "biased", "--json").json

    for text in ("Draws its actions.", "Nobody 1900", "bias", ">= 0, <= 1", "0.5", "Table 1"):
        assert text in shown
    assert described["parameters"][0] == {
        "name": "bias",
        "type": "float",
        "range": ">= 0, <= 1",
        "default": 0.5,
        "help": "probability of action 1",
        "source": "Table 1",
    }
    metric = mfbpi("show", "metric", "rate", "--json").json
    assert metric["columns"] == [
        {"name": "rate", "low": 0.0, "high": 1.0, "summary": "mean reward"}
    ]
    assert mfbpi("show", "metric", "noise", "--json").json["columns"][0]["low"] is None
    assert "needs: model" in mfbpi("show", "agent", "needy").out
    assert "no parameters" in mfbpi("show", "agent", "needy").out


def test_plugins_shows_what_each_distribution_provides(mfbpi: Command) -> None:
    """One line for each distribution."""
    toy = [
        item
        for item in mfbpi("plugins", "--json").json["distributions"]
        if item["distribution"] == "mfbpi-toy"
    ]

    assert toy[0]["version"] == "1.0"
    assert {"biased", "plain", "needy", "tuned"} <= set(toy[0]["provides"]["agent"])
    assert "agent biased, lost, mistuned, needy, plain, tuned" in mfbpi("plugins").out


def test_broken_plugin_is_a_warning(mfbpi: Command, broken_plugin: Path) -> None:
    """Everything else works, and one line says which distribution failed and why."""
    ended = mfbpi("list")

    assert ended.code == 0
    assert "biased" in ended.out
    assert ended.err.splitlines() == [
        "warning: plugin mfbpi-broken 2.0 failed to load: ImportError: no luck"
    ]
    assert mfbpi("list", "--json").json["problems"][0]["distribution"] == "mfbpi-broken"


def test_broken_plugin_is_shown_with_its_cause(mfbpi: Command, broken_plugin: Path) -> None:
    """In the table of distributions."""
    assert "failed at import: ImportError: no luck" in mfbpi("plugins").out
    [problem] = mfbpi("plugins", "--json").json["problems"]
    assert problem["cause"] == "ImportError: no luck"


def test_asking_for_a_broken_plugin_gives_its_cause(mfbpi: Command, broken_plugin: Path) -> None:
    """The name is unknown because the plugin did not load, and the message says so."""
    ended = mfbpi("show", "agent", "broken")

    assert ended.code == 2
    assert "ImportError: no luck" in ended.err.splitlines()[-1]


def test_run_goes_on_beside_a_broken_plugin(toy_run: Command, broken_plugin: Path) -> None:
    """With the same warning."""
    ended = toy_run()

    assert ended.code == 0
    assert ended.err.count("warning: plugin mfbpi-broken") == 1


@pytest.mark.parametrize("command", ["list", "plugins"])
def test_strict_mode_fails(
    command: str, mfbpi: Command, broken_plugin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MFBPI_STRICT=1: the first failure ends the command."""
    monkeypatch.setenv("MFBPI_STRICT", "1")
    ended = mfbpi(command)

    assert ended.code == 1
    assert ended.err.splitlines() == [
        "error: mfbpi-broken 2.0 failed at import: ImportError: no luck"
    ]


def test_conflict_is_an_error_on_use_only(mfbpi: Command, toy_run: Command, tmp_path: Path) -> None:
    """Two distributions claim one name: listing works, and dist:name chooses."""
    folder = tmp_path / "rival"
    info = folder / "mfbpi_rival-3.0.dist-info"
    info.mkdir(parents=True)
    (folder / "mfbpi_rival.py").write_text(
        "from mfbpi_core import AgentSpec, hookimpl\n\n"
        "@hookimpl\ndef mfbpi_agents():\n"
        "    yield AgentSpec(name='biased', factory='mfbpi_toy:Plain',"
        " config='mfbpi_toy:PlainConfig')\n"
    )
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mfbpi-rival\nVersion: 3.0\n")
    (info / "entry_points.txt").write_text("[mfbpi]\nrival = mfbpi_rival\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))

        assert mfbpi("list").code == 0
        ambiguous = toy_run()
        assert ambiguous.code == 2
        assert "mfbpi-rival:biased (3.0), mfbpi-toy:biased (1.0)" in ambiguous.err
        chosen = mfbpi(
            "run", "--agent", "mfbpi-rival:biased", "--env", "ring", "--executor", "inline",
            "-A", "mfbpi-rival:biased.weight=2", "--json", "--seeds", "0",
        )  # fmt: skip
        assert chosen.code == 0
        assert chosen.json["tasks"][0]["agent"] == "mfbpi-rival:biased(weight=2)"


def test_collect_joins_the_results(toy_run: Command, mfbpi: Command) -> None:
    """One table, sorted by agent, environment and seed, with every provenance."""
    toy_run("--out", "x", "--agent", "plain", "--seeds", "0:3")
    ended = mfbpi("collect", "x", "--json")
    joined = table.read(Path("x/_collected/all.parquet"))
    order = list(
        dict.fromkeys(zip(joined["agent"].to_pylist(), joined["seed"].to_pylist(), strict=True))
    )

    assert ended.json == {
        "out": "x/_collected/all.parquet",
        "tasks": 6,
        "planned": 6,
        "rows": joined.num_rows,
    }
    assert order == [(agent, seed) for agent in ("biased", "plain") for seed in range(3)]
    assert len(table.provenance(joined)["runs"]) == 6
    assert mfbpi("collect", "x", "--out", "y.parquet").code == 0
    assert table.read(Path("y.parquet")).equals(joined)


def test_collect_warns_of_failures(toy_run: Command, mfbpi: Command) -> None:
    """They have no rows."""
    toy_run("--out", "x", "-A", "fail_at_seed=0")
    ended = mfbpi("collect", "x")

    assert ended.code == 0
    assert "1 tasks failed and are not in the table" in ended.err


def test_collect_into_nowhere_is_explained(toy_run: Command, mfbpi: Command) -> None:
    """One line, exit code 2."""
    toy_run("--out", "x")
    ended = mfbpi("collect", "x", "--out", "nowhere/y.parquet")

    assert ended.code == 2
    assert "nowhere" in ended.err
    assert len(ended.err.splitlines()) == 1


def test_check_prints_every_result(mfbpi: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """And fails if one failed."""
    results = [
        SimpleNamespace(plugin="agent a", check="one", status="passed", message=""),
        SimpleNamespace(plugin="agent a", check="two", status="failed", message="it\nbroke"),
    ]
    monkeypatch.setattr(mfbpi_core.testing, "run_checks", lambda name: results)
    ended = mfbpi("check", "mfbpi-toy")

    assert ended.code == 1
    assert "it broke" in ended.out
    assert "2 checks: 1 failed, 1 passed" in ended.out
    assert mfbpi("check", "mfbpi-toy", "--json").json["results"][1]["message"] == "it broke"
    del results[1]
    assert mfbpi("check", "mfbpi-toy").code == 0


@pytest.mark.parametrize("kind", list(scaffold.offered()))
def test_scaffold_is_a_complete_package(kind: str, mfbpi: Command) -> None:
    """Files where they belong, nothing left to fill in, and code that compiles."""
    ended = mfbpi("new", kind, "my_thing")
    folder = Path(scaffold.distribution(kind, "my_thing"))
    files = [path for path in folder.rglob("*") if path.is_file()]

    assert ended.code == 0
    assert len(files) == 6
    for path in files:
        assert "$" not in path.read_text()
        if path.suffix == ".py":
            compile(path.read_text(), str(path), "exec")


def test_scaffold_overwrites_nothing(mfbpi: Command) -> None:
    """A folder that is not empty is left alone."""
    Path("x").mkdir()
    Path("x/mine").write_text("mine")
    ended = mfbpi("new", "agent", "mine", "--out", "x")

    assert ended.code == 2
    assert "is not empty" in ended.err
    assert [path.name for path in Path("x").iterdir()] == ["mine"]


def test_help_and_list_import_nothing_heavy() -> None:
    """Listing stays fast with any number of plugins: a budget of modules, not of seconds."""
    probe = (
        "import json, sys\n"
        "from mfbpi_run import cli\n"
        "code = cli.main(sys.argv[1:])\n"
        "print(json.dumps([code, sorted(m for m in sys.modules)]), file=sys.stderr)\n"
    )
    heavy = {"numba", "torch", "cvxpy", "bsuite", "pandas", "scipy", "pyarrow", "matplotlib"}
    light = {"numpy", "mfbpi_core", "rich", "mfbpi_run.commands"}
    for arguments, unwanted in ((["--help"], heavy | light), (["list"], heavy)):
        done = subprocess.run(
            [sys.executable, "-c", probe, *arguments], capture_output=True, text=True, check=True
        )
        code, modules = json.loads(done.stderr.splitlines()[-1])
        assert code == 0
        assert not unwanted & set(modules)
