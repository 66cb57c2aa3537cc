"""Discovery, isolation of failures, conflicts and messages, with real distributions."""

import pickle
import re

import pytest

from mfbpi_core import Registry
from mfbpi_core.errors import ConflictError, NotFoundError, PluginError
from mfbpi_core.plugins.kinds import KINDS

HOOK = "from mfbpi_core import {spec}, hookimpl\n\n@hookimpl\ndef mfbpi_{kind}s():\n    "
AGENT = HOOK.format(spec="AgentSpec", kind="agent")
ENVIRONMENT = HOOK.format(spec="EnvironmentSpec", kind="environment")


def agent(name, factory="kit_good:QLearner", extra=""):
    """Source of a module that yields one agent."""
    return f"{AGENT}yield AgentSpec(name={name!r}, factory={factory!r}{extra})\n"


def names(registry, kind="agent"):
    """What is usable."""
    return [plugin.qualified_name for plugin in registry.of_kind(kind)]


def test_plugins_of_every_kind(install):
    """One module may yield several kinds; every plugin knows where it comes from."""
    registry = install("kit-good", "kit_good")

    kinds = {plugin.kind for plugin in registry.plugins}
    assert kinds == KINDS.keys()
    found = registry.get("agent", "q")
    assert (found.distribution, found.version) == ("kit-good", "1.0")
    assert found.load_factory().__name__ == "QLearner"
    assert found.load_config()().rate == 0.2
    assert registry.problems == []


def test_installed_plugins_load():
    """Whatever of ours is installed here loads."""
    registry = Registry.discover()

    assert [str(p) for p in registry.problems if p.distribution.startswith("mfbpi-")] == []


BROKEN = {
    "import": ("raise ValueError('no licence')\n", "import", "ValueError: no licence"),
    "exit": ("raise SystemExit(3)\n", "import", "SystemExit: 3"),
    "missing dependency": ("import no_such_module\n", "import", "No module named"),
    "syntax": ("def f(:\n", "import", "SyntaxError"),
    "misspelt hook": (
        agent("a").replace("mfbpi_agents", "mfbpi_agent"),
        "register",
        "mfbpi_agent",
    ),
    "argument of a hook": (
        agent("a").replace("mfbpi_agents()", "mfbpi_agents(registry)"),
        "register",
        "registry",
    ),
    "raises in a hook": (f"{AGENT}raise RuntimeError('boom')\n", "hook", "RuntimeError: boom"),
    "raises after a yield": (
        f"{AGENT}yield AgentSpec(name='a', factory='m:F')\n    raise RuntimeError('late')\n",
        "hook",
        "RuntimeError: late",
    ),
    "misspelt without a mark": (
        agent("a").replace("mfbpi_agents", "mfbpi_agent").replace("@hookimpl\n", ""),
        "register",
        r"mfbpi_agent is not a hook; did you mean mfbpi_agents\?",
    ),
    "unmarked": (
        agent("a").replace("@hookimpl\n", ""),
        "register",
        "mfbpi_agents is not marked as a hook and would never be called; write @hookimpl",
    ),
    "marked for another project": (
        agent("a")
        .replace("@hookimpl\n", "@pluggy.HookimplMarker('tox')\n")
        .join(("import pluggy\n", "")),
        "register",
        "mfbpi_agents is not marked as a hook",
    ),
    "returns None": (f"{AGENT}return None\n", "hook", "mfbpi_agents returned NoneType; expected"),
    "returns a spec": (
        agent("a").replace("yield ", "return "),
        "hook",
        r"mfbpi_agents returned AgentSpec; expected .*: write `yield AgentSpec\(...\)`, not `ret",
    ),
    "returns and yields": (
        agent("a") + "    return AgentSpec(name='b', factory='m:F')\n",
        "hook",
        "mfbpi_agents returned AgentSpec besides what it yielded",
    ),
    "no hooks": ("x = 1\n", "hook", "yields no plugin; expected one of the hooks mfbpi_agents"),
    "no plugins": (f"{AGENT}yield from ()\n", "hook", "yields no plugin"),
    "yields a class": (f"{AGENT}yield AgentSpec\n", "spec", "expected AgentSpec objects"),
    "yields another kind": (
        agent("a").replace("mfbpi_agents", "mfbpi_bounds"),
        "spec",
        "mfbpi_bounds yielded AgentSpec",
    ),
    "lambda factory": (
        f"{AGENT}yield AgentSpec(name='a', factory=lambda *a: None)\n",
        "hook",
        "AgentSpec.factory is <function .* expected an import string",
    ),
    "bad name": (agent("My Agent"), "hook", "AgentSpec.name is 'My Agent'; expected lower-case"),
    "newer interface": (agent("a", extra=", api=2"), "hook", "this mfbpi-core implements 1"),
    "twice": (agent("a") + agent("a").splitlines()[-1] + "\n", "spec", "agent a is declared twice"),
}


@pytest.mark.parametrize(("source", "stage", "says"), BROKEN.values(), ids=BROKEN)
def test_broken_plugin_does_not_stop_the_rest(install, source, stage, says):
    """All or nothing of the broken one; the others load; the problem names its distribution."""
    install("aa-before", "aa_before", agent("before"))
    install("kit-broken", "kit_broken", source)
    registry = install("zz-after", "zz_after", agent("after"))

    assert names(registry) == ["zz-after:after", "aa-before:before"]
    (problem,) = registry.problems
    assert (problem.distribution, problem.version, problem.stage) == ("kit-broken", "1.0", stage)
    assert re.search(says, str(problem))
    assert str(problem).startswith(f"kit-broken 1.0 failed at {stage}: ")


def test_asking_for_a_broken_plugin_gives_the_cause(install):
    """The name is not found, and the plugins that failed to load are listed with their cause."""
    install("kit-good", "kit_good")
    registry = install("kit-broken", "kit_broken", "raise ValueError('no licence')\n")

    with pytest.raises(NotFoundError) as caught:
        registry.get("agent", "broken")

    message = str(caught.value)
    assert message.startswith("no agent is called 'broken'; installed: linear, q; not loaded: ")
    assert message.endswith("kit-broken 1.0 failed at import: ValueError: no licence")


def test_strict_mode_raises(install, monkeypatch):
    """With MFBPI_STRICT=1 the first failure is an error that names the distribution."""
    monkeypatch.setenv("MFBPI_STRICT", "1")

    with pytest.raises(PluginError, match=r"kit-broken 1\.0 failed at import: ValueError: no"):
        install("kit-broken", "kit_broken", "raise ValueError('no licence')\n")


def test_a_failed_plugin_leaves_no_trace(install):
    """After a failure in a hook, other plugins' hooks do not run the failed one again."""
    install("kit-broken", "kit_broken", f"{AGENT}raise RuntimeError('boom')\n")
    registry = install("kit-good", "kit_good")

    assert len(registry.problems) == 1
    registry.add("late", "1", "late", lambda: __import__("kit_good"))
    assert [p.stage for p in registry.problems] == ["hook", "register"]


def test_conflict_is_an_error_on_use_only(install):
    """Two distributions claim a name: listing works, asking lists both, qualifying chooses."""
    install("first", "first_module", agent("twin"))
    registry = install("second", "second_module", agent("twin"))

    assert names(registry) == ["first:twin", "second:twin"]
    with pytest.raises(ConflictError) as caught:
        registry.get("agent", "twin")
    assert "choose one: first:twin (1.0), second:twin (1.0)" in str(caught.value)
    assert registry.get("agent", "second:twin").distribution == "second"


def test_same_entry_point_name_in_two_distributions(install):
    """Neither is skipped in silence, as pluggy's own loader would."""
    install("first", "shared_a", agent("a"), entry="same")
    registry = install("second", "shared_b", agent("b"), entry="same")

    assert names(registry) == ["first:a", "second:b"]
    assert registry.problems == []


def test_lists_and_helpers_are_fine(install):
    """A hook may return a list, and a module hold other functions and modules of our name."""
    source = agent("a").replace(
        "yield AgentSpec(name='a', factory='kit_good:QLearner')",
        "return [AgentSpec(name='a', factory='kit_good:QLearner')]",
    )
    source += (
        "\nimport mfbpi_core.contracts.agent as mfbpi_agent\ndef mfbpi_helper(x):\n    return x\n"
    )

    registry = install("listed", "listed_module", source)

    assert registry.problems == []
    assert names(registry) == ["listed:a"]


def test_one_name_for_two_kinds(install):
    """Names are per kind."""
    source = (
        agent("x") + f"\n{ENVIRONMENT}yield EnvironmentSpec(name='x', factory='kit_good:Chain')\n"
    )

    registry = install("both", "both_module", source)

    assert registry.problems == []
    assert registry.get("agent", "x").kind == "agent"
    assert registry.get("environment", "x").kind == "environment"


def test_misspelt_name(install):
    """The nearest name is offered, and what is installed is listed."""
    source = f"{ENVIRONMENT}yield EnvironmentSpec(name='riverswim', factory='kit_good:Chain')\n"
    registry = install("rivers", "rivers", source)

    with pytest.raises(NotFoundError) as caught:
        registry.get("environment", "riversim")

    expected = "no environment is called 'riversim'; did you mean riverswim?; installed: riverswim"
    assert str(caught.value) == expected


def test_name_of_another_kind(install):
    """An agent asked for as an environment: the message says what it is."""
    registry = install("kit-good", "kit_good")

    with pytest.raises(NotFoundError, match="there is an agent of that name"):
        registry.get("environment", "q")


def test_nothing_installed():
    """An empty registry says so."""
    with pytest.raises(NotFoundError, match="no bound is called 'u'; installed: none"):
        Registry().get("bound", "u")


def test_import_strings_fail_with_the_distribution(install):
    """A factory that cannot be imported names plugin, distribution and cause."""
    registry = install("kit-far", "kit_far", agent("far", factory="no_such_module:Agent"))

    with pytest.raises(PluginError, match=r"agent far of kit-far 1\.0: cannot import 'no_such_mod"):
        registry.get("agent", "far").load_factory()


def test_everything_registered_survives_pickling(install):
    """Specs and plugins reach spawned workers."""
    registry = install("kit-good", "kit_good")

    assert pickle.loads(pickle.dumps(registry.plugins)) == registry.plugins


def test_order_does_not_depend_on_installation(install):
    """Plugins are sorted by name, then distribution, whatever came first on the path."""
    install("zz", "zz_module", agent("b"))
    registry = install(
        "aa", "aa_module", agent("b") + "    yield AgentSpec(name='a', factory='m:F')\n"
    )

    assert names(registry) == ["aa:a", "aa:b", "zz:b"]
