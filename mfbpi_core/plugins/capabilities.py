"""What plugins may need of an environment or an agent: the words, and what each promises.

A need is one of these words, or a feature that the spec of an installed environment declares with
what it promises. A word that is neither is an error that names the closest.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable
from typing import Literal

import attrs

from mfbpi_core.contracts.features import Episodic, Pole, Sea


@attrs.frozen
class Capability:
    """What a word promises.

    Attributes:
        of: who provides it. What environments provide is known beforehand; what agents do, once
            one is built.
        promise: in a line.
        contract: protocol that the provider fulfils, beside the contract of its kind; None for
            nothing more.
    """

    of: Literal["environment", "agent"]
    promise: str
    contract: type | None = None


#: Every word of the core.
WORDS: dict[str, Capability] = {
    "states": Capability("environment", "observations are integers 0..S-1"),
    "arrays": Capability("environment", "observations are arrays of numbers"),
    "one_hot": Capability("environment", "observations are arrays of zeros with at most one 1"),
    "cells": Capability(
        "environment", "a partition of the observations, over which exploration is counted"
    ),
    "model": Capability("environment", "the exact model"),
    "episodes": Capability(
        "environment", "every episode ends, after `max_episode_steps` at the latest", Episodic
    ),
    "deep_sea": Capability("environment", "a DeepSea, which knows its way and its successes", Sea),
    "cartpole": Capability("environment", "a cart-pole, which knows when it is upright", Pole),
    "policy": Capability("agent", "a recommended action in every state"),
    "allocation": Capability("agent", "the allocation at which the sampling rule aims"),
}

#: What environments provide; the features that others declare come on top.
OF_ENVIRONMENTS = {word: c.promise for word, c in WORDS.items() if c.of == "environment"}

#: What agents provide.
OF_AGENTS = {word: c.promise for word, c in WORDS.items() if c.of == "agent"}


def hint(needs: Iterable[str], known: Iterable[str]) -> str:
    """``"did you mean states? "`` for needs that nobody provides, or nothing."""
    words = sorted({*WORDS, *known})
    found = [difflib.get_close_matches(n, words, n=1, cutoff=0.7) for n in unknown(needs, known)]
    close = [match for matches in found for match in matches]
    return f"did you mean {' and '.join(close)}? " if close else ""


def unknown(needs: Iterable[str], features: Iterable[str]) -> list[str]:
    """Needs that neither the core defines nor any of these features is."""
    return sorted(set(needs) - {*WORDS, *features})


def members(contract: type) -> list[str]:
    """Names of the attributes that a contract promises."""
    names = {*inspect.get_annotations(contract), *vars(contract)}
    return sorted(name for name in names if not name.startswith("_"))
