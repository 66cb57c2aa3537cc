"""A run: agent and environment interact, metrics measure, states are saved."""
