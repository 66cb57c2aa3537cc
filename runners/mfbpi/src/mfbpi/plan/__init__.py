"""What is to be run: plugins with their parameters, and the grid of tasks."""
