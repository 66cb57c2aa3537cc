"""What runs have learnt: policies and agents, out of files that may be anybody's."""
