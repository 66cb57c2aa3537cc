"""The model of an environment, and sampling from it."""
