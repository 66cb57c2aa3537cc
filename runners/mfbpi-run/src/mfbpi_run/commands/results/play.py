"""``mfbpi play``: a policy, or an agent, acts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import click

from mfbpi.api.playing import Moment
from mfbpi.api.playing import play as played
from mfbpi.execute.working.causes import foreign
from mfbpi.instances import drawing, scenes
from mfbpi.results.storage.places import Place
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data.problem import Observation
from mfbpi_core.errors import UsageError
from mfbpi_run.arguments import meant
from mfbpi_run.command import PATH, PLACE, Command
from mfbpi_run.screen.output import say, tell

#: Most signs in a line of a scene; wider ones are left out.
WIDEST = 120

#: Most pictures in a file, and how many are shown in a second.
LONGEST, PER_SECOND = 1_000, 8.0


@click.command(cls=Command, name="play")
@click.argument("directory", type=PLACE, required=False, metavar="[DIRECTORY]")
@meant.meant
@click.option(
    "-A", "agent_settings", multiple=True, metavar="KEY=VALUE", help="Parameter of a new agent."
)
@click.option(
    "-E",
    "environment_settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Parameter of the environment of a new agent.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="How many.",
)
@click.option(
    "--explore",
    is_flag=True,
    help="Act as the agent does when it explores, not as it recommends; needs a run with "
    "--save-agent, or a new agent.",
)
@click.option("--gif", type=PATH, metavar="FILE", help="Write pictures to a GIF instead.")
@meant.code
def play(
    directory: Place | None,
    agent: str | None,
    env: str | None,
    seed: int | None,
    agent_settings: tuple[str, ...],
    environment_settings: tuple[str, ...],
    steps: int,
    explore: bool,
    gif: Path | None,
    codes: tuple[str, ...],
    imports: tuple[str, ...],
) -> None:
    """Show what a run of DIRECTORY has learnt, acting in its environment.

    Without DIRECTORY, a new agent (--agent NAME --env NAME) begins to learn.

    Example: mfbpi play results/first --seed 0 --steps 40
    """
    if directory is None:
        actor = _new(agent, env, seed or 0, agent_settings, environment_settings)
    elif agent_settings or environment_settings:
        raise UsageError("-A and -E are those of a new agent; leave the directory away for one")
    else:
        actor = _of_run(directory, (agent, env, seed), explore, codes, imports)
    with foreign(f"playing in {type(actor.where).__name__}"):
        if gif is None:
            _show(actor, steps)
        else:
            _write(actor, steps, gif)


@attrs.frozen(kw_only=True)
class _Actor:
    """Who acts where."""

    act: Callable[[Observation], int]
    where: Environment
    seed: int = 0
    learn: Callable[[Any], object] | None = None


def _new(
    agent: str | None,
    env: str | None,
    seed: int,
    agent_settings: tuple[str, ...],
    environment_settings: tuple[str, ...],
) -> _Actor:
    from mfbpi.api import building
    from mfbpi.execute.working import compiled
    from mfbpi.plan import selection
    from mfbpi_core.plugins.registry import Registry

    if agent is None or env is None:
        raise UsageError("give a directory of results, or both `agent` NAME and `env` NAME")
    registry = Registry.discover()
    compiled.find_place(registry)
    (place,) = selection.environments(registry, [env], environment_settings)
    (chosen,) = selection.agents(registry, [agent], agent_settings)
    where = building.built(registry, place)
    made = building.agent_of(registry, chosen, where, seed=seed)
    return _Actor(act=made.select_action, where=where, seed=seed, learn=made.update)


def _of_run(
    directory: Place,
    which: tuple[str | None, str | None, int | None],
    explore: bool,
    codes: tuple[str, ...],
    imports: tuple[str, ...],
) -> _Actor:
    from mfbpi.results.learnt import places, taking
    from mfbpi.results.loaded import load

    results = load(directory)
    found = taking.one(results.found, *which)
    where = places.environment(found.task, codes, imports)
    if not explore:
        return _Actor(act=taking.policy(results, found, codes), where=where)
    agent: Agent = taking.agent(results, found, codes, {})
    return _Actor(act=agent.select_action, where=where, learn=agent.update)


def _show(actor: _Actor, steps: int) -> None:
    total, episodes = 0.0, 1
    for moment in played(actor.act, actor.where, seed=actor.seed, steps=steps, learn=actor.learn):
        if moment.step == 1:
            _scene(actor.where, moment.transition.observation)
        say(_line(actor.where, moment))
        _scene(actor.where, moment.transition.next_observation)
        total += moment.transition.reward
        episodes = moment.episode
    say(f"{steps} steps in {episodes} episode{'s' if episodes > 1 else ''}, rewards of {total:g}.")


def _scene(where: Environment, shown: Observation) -> None:
    try:
        lines = scenes.text(where, shown)
    except NotImplementedError:
        return
    if max(map(len, lines.splitlines())) <= WIDEST:
        say(lines.rstrip("\n"))


def _line(where: Environment, moment: Moment) -> str:
    did = moment.transition
    names, states = where.action_names, where.state_names
    action = str(did.action) if names is None else names[did.action]
    to = ""
    if where.n_states is not None:
        to = f", state {did.next_observation if states is None else states[did.next_observation]}"
    end = ", the task ends" if did.terminated else ", cut short" if did.truncated else ""
    return f"step {moment.step}: action {action}, reward {did.reward:g}{to}{end}"


def _write(actor: _Actor, steps: int, file: Path) -> None:
    """A GIF with a picture of every step."""
    if steps > LONGEST:
        raise UsageError(f"--steps {steps}: a GIF holds {LONGEST} pictures at most")
    scenery = scenes.Scenery(actor.where)
    moments = played(actor.act, actor.where, seed=actor.seed, steps=steps, learn=actor.learn)
    try:
        frames = [scenery.picture(moment.transition.next_observation) for moment in moments]
    except NotImplementedError as error:
        raise UsageError(f"{error}; for one of Gymnasium's add -E render_mode=rgb_array") from error
    drawing.write_gif(frames, PER_SECOND, file)
    tell(f"written: {file}, {len(frames)} pictures")
