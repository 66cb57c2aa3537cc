"""Instances: models, what describes them, and bounds on them."""
