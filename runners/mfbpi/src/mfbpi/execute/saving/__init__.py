"""Checkpoints: what a long run goes on from after it was killed."""
