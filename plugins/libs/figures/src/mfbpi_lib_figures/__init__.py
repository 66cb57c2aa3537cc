"""Figures of anybody's runs: learning curves, final scores, maps; for mfbpi."""
