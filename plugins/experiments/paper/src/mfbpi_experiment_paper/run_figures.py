"""Figures of the comparisons: pure functions from a table of results to a matplotlib figure."""

from __future__ import annotations

import pyarrow as pa
from matplotlib.figure import Figure

from mfbpi_lib_figures.learning import learning_curves
from mfbpi_lib_figures.runs import Quantity
from mfbpi_lib_figures.scores import final_scores

#: Agents that look the same in every figure.
AGENTS = (
    *("mf_bpi", "o_bpi", "mdp_nas", "ps_mdp_nas", "q_ucb", "psrl", "q_learning"),
    *("dbmf_bpi", "bsp2", "bsp", "ids"),
)

#: The score of the paper.
SCORE = Quantity(
    name="value_ratio",
    label=r"$1 - \|V^* - V^\pi\|_\infty \,/\, \|V^*\|_\infty$",
    low=0.0,
    high=1.0,
)

SUCCESSES = Quantity(name="successes", label="successful episodes so far", low=0.0)
LAST_VISITS = Quantity(
    name="t_visit_std", label="spread of the last visit times", low=0.0, high=0.5
)
UPRIGHT = Quantity(name="upright_time", label="upright steps so far", low=0.0)
ENTROPY = Quantity(name="visit_entropy", label="entropy of the visits, 1: even", low=0.0, high=1.0)


def scores(table: pa.Table) -> Figure:
    """Final score of each agent, one panel for each family of environments."""
    return final_scores(table, [SCORE], order=AGENTS)


def curves(table: pa.Table) -> Figure:
    """Score against steps."""
    return learning_curves(table, SCORE, order=AGENTS)


def deepsea(table: pa.Table) -> Figure:
    """Successes, and the spread of the last visit times, against the size."""
    return final_scores(table, [SUCCESSES, LAST_VISITS], order=AGENTS)


def deepsea_curves(table: pa.Table) -> Figure:
    """Successes against steps."""
    return learning_curves(table, SUCCESSES, order=AGENTS)


def cartpole(table: pa.Table) -> Figure:
    """Upright steps, and the entropy of the visits, against the difficulty."""
    return final_scores(table, [UPRIGHT, ENTROPY], order=AGENTS)


def cartpole_curves(table: pa.Table) -> Figure:
    """Upright steps against steps."""
    return learning_curves(table, UPRIGHT, order=AGENTS)
