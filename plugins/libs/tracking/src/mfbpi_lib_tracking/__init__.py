"""Agents that follow the optimal allocation of a bound on an estimated model, for mfbpi plugins."""
