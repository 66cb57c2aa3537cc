"""Ensembles of networks, replay and replicas, compiled for CPUs and in torch, for mfbpi plugins.

Importing this package imports nothing heavy; torch is imported when it is first used, see ``late``.
"""
