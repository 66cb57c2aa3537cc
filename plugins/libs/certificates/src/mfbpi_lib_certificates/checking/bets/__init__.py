"""Bets of the rule betting, recomputed: what was frozen, what it made, and what follows."""
