"""Markov decision processes in files: read and written in several formats, with names."""
