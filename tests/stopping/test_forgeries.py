"""Forgeries of certificates are refused, and witnesses that are not finite."""

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.stopping.fields import Fields, fields_of, refused

WITNESSES = ("advantages", "values_upper", "values_lower", "policy_upper", "regret")
KERNELS = ("kappa_low", "kappa_high")

#: Changes one field of a certificate.
Forge = Callable[[np.random.Generator, Fields], None]


def place(rng: np.random.Generator, array: Any) -> tuple[int, ...]:
    """A random place of an array."""
    return tuple(int(rng.integers(n)) for n in np.shape(array))


def shift(array: Any, at: tuple[int, ...], by: float) -> None:
    """Add to one number of nested lists."""
    for i in at[:-1]:
        array = array[i]
    array[at[-1]] += by


def live_state(rng: np.random.Generator, fields: Fields) -> int:
    """A state that is not terminal."""
    return int(rng.choice(np.flatnonzero(~np.array(fields["terminal"]))))


def forge_number(rng: np.random.Generator, fields: Fields) -> None:
    """A number of the question or the data that is not what it was."""
    key = str(rng.choice(["delta", "delta_spent", "steps", "discount", "n_states", "n_actions"]))
    if key in ("steps", "n_states", "n_actions"):
        fields[key] += int(rng.choice([-1, 1, 2, 1000]))
    else:
        fields[key] *= rng.uniform(0.1, 0.99)


def forge_counts(rng: np.random.Generator, fields: Fields) -> None:
    """A count, an outcome, or a beginning that was not."""
    key = str(rng.choice(["counts", "outcomes", "start", "row_starts"]))
    at, by = place(rng, fields[key]), int(rng.choice([-1, 1]))
    if key == "outcomes" and sum(fields["terminal"]) > 1:
        key = "counts"  # which of two ends it was, no count of theirs can contradict
        at = place(rng, fields[key])
    if key == "start":
        fields[key] = [0] * len(fields[key])
    else:
        shift(fields[key], at, by)


def forge_rewards(rng: np.random.Generator, fields: Fields) -> None:
    """A sum of rewards that rewards in the range cannot have."""
    s, a = live_state(rng, fields), int(rng.integers(fields["n_actions"]))
    fields["rewards"][s][a] = float(rng.choice([-1.0, 1.001 * fields["steps"] + 1]))


def forge_threshold(rng: np.random.Generator, fields: Fields) -> None:
    """A smaller threshold."""
    name = str(rng.choice(["threshold_transitions", "threshold_rewards"]))
    fields["witnesses"][name] *= 1 - 10 ** rng.uniform(-9, -1)


def forge_witness(rng: np.random.Generator, fields: Fields) -> None:
    """A bound that claims more than the counts prove."""
    name = str(rng.choice(WITNESSES))
    at: tuple[int, ...] = (live_state(rng, fields),)
    if name == "advantages":
        at = (*at, int(rng.integers(fields["n_actions"])))
    by = 10 ** rng.uniform(-5, 2)
    shift(fields["witnesses"][name], at, by if name == "values_lower" else -by)


def forge_kernel(rng: np.random.Generator, fields: Fields) -> None:
    """A kernel that is too narrow on one side."""
    name = str(rng.choice(KERNELS))
    live = np.flatnonzero(~np.array(fields["terminal"]))
    k, z = int(rng.integers(len(live))), int(rng.integers(len(live)))
    rivals = [a for a in range(fields["n_actions"]) if a != fields["policy"][live[k]]]
    row = k * fields["n_actions"] + int(rng.choice(rivals))
    low, high = (fields["witnesses"][each][row][z] for each in KERNELS)
    by = (high - low) * rng.uniform(0.01, 1.5) + 1e-3
    fields["witnesses"][name][row][z] += by if name == "kappa_low" else -by


def forge_answer(rng: np.random.Generator, fields: Fields) -> None:
    """Another policy, a smaller gap, or a claim that was not made."""
    key = str(rng.choice(["policy", "gap", "certified_gap", "identified", "terminal", "rule"]))
    s = live_state(rng, fields)
    if key == "policy":
        others = [a for a in range(fields["n_actions"]) if a != fields["policy"][s]]
        fields["policy"][s] = int(rng.choice(others))
    elif key == "gap":
        fields["gap"][s] -= 10 ** rng.uniform(-5, 1)
    elif key == "certified_gap":
        fields["certified_gap"] -= 10 ** rng.uniform(-5, 1)
    elif key == "identified" and not fields["identified"]:
        fields["identified"] = True
    elif key == "terminal":
        fields["terminal"][s] = True
    else:
        fields["rule"] = "trust me"


def forge_structure(rng: np.random.Generator, fields: Fields) -> None:
    """A field that is missing, unknown, or of another type."""
    key = str(rng.choice(sorted(set(fields) - {"schema", "arrays", "task"})))
    way = int(rng.integers(3))
    if way == 0:
        del fields[key]
    elif way == 1:
        fields[f"more {key}"] = 0
    else:
        fields[key] = None if key != "known_rewards" else 1.0


def forge_bets(rng: np.random.Generator, fields: Fields) -> None:
    """An epoch, or counts and rewards at the checks of its bets, that cannot have been."""
    key = str(rng.choice(["epochs", "counts_then", "rewards_then", "entry_rewards"]))
    array = fields["witnesses"][key]
    if key == "epochs":
        array[0] += int(rng.choice([-1, 1, 2]))
    elif key == "rewards_then":
        t, e = place(rng, array)
        array[t][e] = float(
            rng.choice([-1.0, 1.001 * fields["witnesses"]["counts_then"][t][e] + 1])
        )
    elif key == "counts_then":
        shift(array, place(rng, array), int(rng.choice([-1, 1])))
    else:
        shift(array, place(rng, array), float(rng.choice([-1.0, 1.0])) * rng.uniform(0.01, 10))


FORGERIES: tuple[Forge, ...] = (
    forge_number,
    forge_counts,
    forge_rewards,
    forge_threshold,
    forge_witness,
    forge_witness,
    forge_kernel,
    forge_answer,
    forge_structure,
)


def accepted(honest: Fields, n: int, kinds: tuple[Forge, ...] = FORGERIES) -> list[Any]:
    """Forgeries that were taken for valid, of so many; one field is changed in each."""
    rng = np.random.default_rng(2024)
    found = []
    for _ in range(n):
        forged, forge = copy.deepcopy(honest), kinds[int(rng.integers(len(kinds)))]
        forge(rng, forged)
        if not refused(forged):
            found.append((forge.__name__, {k for k in honest if honest[k] != forged.get(k)}))
    return found


@pytest.mark.parametrize(
    "name", ["riverswim3, fw_bpi", "riverswim5, uniform", "lake, fw_bpi", "close", "early"]
)
def test_forgeries_are_refused(certificates, name):
    """200 of each, 1,000 in all, with one field changed to claim what the data do not prove."""
    assert accepted(fields_of(certificates[name]), 200) == []


@pytest.mark.parametrize("name", ["riverswim3, fw_bpi", "lake, fw_bpi"])
def test_forgeries_of_bets_are_refused(bets, name):
    """50 of each, a fifth of them in what the bets rest on."""
    assert accepted(fields_of(bets[name]), 50, (*FORGERIES, forge_bets, forge_bets)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["riverswim3, fw_bpi", "riverswim5, fw_bpi", "lake, fw_bpi"])
def test_forgeries_of_bets_are_refused_at_length(bets, name):
    """1,000 of each."""
    assert accepted(fields_of(bets[name]), 1_000, (*FORGERIES, forge_bets, forge_bets)) == []


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["epochs", "counts_then", "rewards_then", "entry_rewards"])
def test_histories_that_are_not_finite_are_refused(bets, name, value):
    """At every place of what the bets rest on."""
    honest = fields_of(bets["riverswim3, fw_bpi"])
    array = np.array(honest["witnesses"][name], dtype=np.float64)
    for at in np.ndindex(array.shape):
        forged, changed = copy.deepcopy(honest), array.copy()
        changed[at] = value
        forged["witnesses"][name] = changed.tolist()
        assert refused(forged), at


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_witnesses_that_are_not_finite_are_refused(certificates, value):
    """Every witness, at every place."""
    honest = fields_of(certificates["riverswim3, fw_bpi"])
    for name, array in honest["witnesses"].items():
        for at in np.ndindex(np.shape(array)):
            forged = copy.deepcopy(honest)
            changed = np.array(array)
            changed[at] = value
            forged["witnesses"][name] = changed.tolist()
            assert refused(forged), (name, at)
    for key in ("gap", "rewards"):
        forged = copy.deepcopy(honest)
        shift(forged[key], (0,) * np.ndim(honest[key]), value)
        assert refused(forged), key
