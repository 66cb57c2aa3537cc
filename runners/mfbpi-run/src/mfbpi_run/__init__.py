"""The command line of mfbpi: runs grids of agents, environments and seeds."""
