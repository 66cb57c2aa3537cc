"""Environments, agents, metrics and tasks of the kit's own."""
