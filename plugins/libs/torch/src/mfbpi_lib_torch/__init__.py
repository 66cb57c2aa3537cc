"""Ensembles of networks, replay and replicas in torch, for mfbpi plugins.

Importing this package imports nothing heavy; its modules import torch where they need it.
"""
