"""Planning, structure and compiled simulation of tabular MDPs, for mfbpi plugins."""
