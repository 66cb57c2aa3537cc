"""What plugins may need of an environment or an agent: the words, and what each promises."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

#: What environments provide, besides the features that they document.
OF_ENVIRONMENTS = {
    "states": "observations are integers 0..S-1",
    "arrays": "observations are arrays of features",
    "cells": "a partition of the observations, over which exploration is counted",
    "model": "the exact model",
}

#: What agents provide; known once one is built.
OF_AGENTS = {
    "policy": "a recommended action in every state",
    "allocation": "the allocation at which the sampling rule aims",
}


def hint(needs: Iterable[str], known: Iterable[str]) -> str:
    """``"did you mean states? "`` for needs that nobody provides, or nothing."""
    words = {*OF_ENVIRONMENTS, *OF_AGENTS, *known}
    unknown = sorted(set(needs) - words)
    found = [difflib.get_close_matches(need, sorted(words), n=1, cutoff=0.7) for need in unknown]
    close = [match for matches in found for match in matches]
    return f"did you mean {' and '.join(close)}? " if close else ""


def unknown(needs: Iterable[str], features: Iterable[str]) -> list[str]:
    """Needs that neither the core defines nor any of these features is."""
    return sorted(set(needs) - {*OF_ENVIRONMENTS, *OF_AGENTS, *features})
