"""Samples until the certificate: the table of this package's README.

    python plugins/agents/fw_bpi/tests/measure_stopping.py riverswim5 fw_bpi --seeds 100:120

Runs an agent and evaluates the box of its counts on the schedule t_0 = max(100, S A),
t -> max(t + 1, floor(1.05 t)), with delta 0.1 and epsilon 0. Runs that do not stop are counted,
never averaged: the median is that of all runs, "not reached" where it falls among these.
"""

from __future__ import annotations

import argparse
import time

import attrs
import numpy as np

from mfbpi_core import Interaction, Problem, Registry, TabularMDP
from mfbpi_core.contracts.parameters import parse
from mfbpi_core.running.stopping import first_check, next_check
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import evaluate
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.solution import planning


def registered(name: str, **parameters: str) -> TabularMDP:
    """The model of an installed environment."""
    plugin = Registry.discover().get("environment", name)
    model = plugin.load_factory()(parse(plugin.load_config(), parameters)).model
    assert isinstance(model, TabularMDP)
    return model


def dirichlet() -> TabularMDP:
    """Ten states, three actions, every row drawn evenly."""
    rng = np.random.default_rng(7)
    transitions = rng.dirichlet(np.ones(10), size=(10, 3))
    return TabularMDP.from_dense(transitions, rng.random((10, 3)), reward_law="bernoulli")


#: Builder of the instance, and discount.
INSTANCES = {
    "riverswim5_.9": (lambda: registered("riverswim", n_states="5"), 0.9),
    "riverswim5": (lambda: registered("riverswim", n_states="5"), 0.95),
    "riverswim10": (lambda: registered("riverswim", n_states="10"), 0.99),
    "riverswim20": (lambda: registered("riverswim", n_states="20"), 0.99),
    "garnet": (
        lambda: registered("garnet", n_states="10", n_actions="3", branching="3", mdp_seed="6"),
        0.9,
    ),
    "dirichlet": (dirichlet, 0.9),
}


@attrs.frozen(kw_only=True)
class Stop:
    """One run: the step at which it stopped, or None, and whether the policy was optimal."""

    step: int | None
    correct: bool
    resolve_ms: float
    check_ms: float


def run(name: str, agent_name: str, seed: int, cap: int, parameters: dict[str, str]) -> Stop:
    """One run until the certificate, or the cap."""
    build, discount = INSTANCES[name]
    mdp = build()
    plugin = Registry.discover().get("agent", agent_name)
    problem = Problem(
        n_states=mdp.n_states, n_actions=mdp.n_actions, discount=discount, horizon=cap
    )
    streams = np.random.SeedSequence(seed).spawn(2)
    config = parse(plugin.load_config(), parameters)
    agent = plugin.load_factory()(problem, config, np.random.default_rng(streams[0]))
    seed_of_environment = int(streams[1].generate_state(1)[0])
    interaction = Interaction(TabularEnvironment(mdp), agent, seed_of_environment)
    counts = np.zeros((mdp.n_states, mdp.n_actions, mdp.n_states), dtype=np.int64)
    rewards = np.zeros((mdp.n_states, mdp.n_actions))
    step, seconds, checks = first_check(mdp.n_states, mdp.n_actions), 0.0, 0
    while step <= cap:
        chunk = interaction.advance(step - interaction.step)
        s, a = chunk.observations, chunk.actions
        np.add.at(counts, (s, a, chunk.next_observations), 1)
        np.add.at(rewards, (s, a), chunk.rewards)
        if counts.any(axis=2).all():
            started = time.process_time()
            found = evaluate(Evidence.from_dense(counts, rewards), discount=discount)
            seconds, checks = seconds + time.process_time() - started, checks + 1
            if found.identified:
                return _stopped(mdp, discount, agent, step, found.policy, seconds / checks)
        step = next_check(step)
    return _stopped(
        mdp, discount, agent, None, agent.recommended_policy(), seconds / max(checks, 1)
    )


def _stopped(mdp, discount, agent, step, policy, check_s) -> Stop:
    plan = planning.solve(mdp, discount)
    loss = plan.values - planning.evaluate_policy(mdp, policy, discount)
    solves = max(getattr(agent, "n_solves", 0), 1)
    return Stop(
        step=step,
        correct=bool(loss.max() <= 1e-9),
        resolve_ms=1e3 * getattr(agent, "solver_s", 0.0) / solves,
        check_ms=1e3 * check_s,
    )


def summary(stops: list[Stop]) -> str:
    """One line: the median over all runs, their range, how many stopped, how many were wrong."""
    steps = np.array([np.inf if stop.step is None else stop.step for stop in stops])
    middle = np.median(steps) if np.isfinite(np.median(steps)) else None
    wrong = sum(stop.step is not None and not stop.correct for stop in stops)
    return (
        f"median {'not reached' if middle is None else f'{middle:.3g}'}, "
        f"range [{steps.min():.3g}, {steps.max():.3g}], stopped {np.isfinite(steps).sum()} of "
        f"{len(steps)}, wrong {wrong}; re-solve {np.mean([s.resolve_ms for s in stops]):.2f} ms, "
        f"check {np.mean([s.check_ms for s in stops]):.2f} ms"
    )


def main() -> None:
    """Parse, run, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("instance", choices=sorted(INSTANCES))
    parser.add_argument("agent")
    parser.add_argument("--seeds", default="100:120", help="first:last, the last left out")
    parser.add_argument("--cap", type=int, default=3_000_000)
    parser.add_argument("-A", action="append", default=[], metavar="key=value")
    chosen = parser.parse_args()
    first, last = (int(n) for n in chosen.seeds.split(":"))
    parameters = dict(pair.split("=", 1) for pair in chosen.A)
    stops = [
        run(chosen.instance, chosen.agent, seed, chosen.cap, parameters)
        for seed in range(first, last)
    ]
    print(chosen.instance, chosen.agent, *chosen.A, "|", summary(stops))  # noqa: T201


if __name__ == "__main__":
    main()
