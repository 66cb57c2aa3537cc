"""Kills drivers and workers at random moments, and asks for the tables of an undisturbed run."""
