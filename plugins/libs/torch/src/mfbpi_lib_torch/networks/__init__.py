"""Ensembles of networks, their priors and their optimiser."""
