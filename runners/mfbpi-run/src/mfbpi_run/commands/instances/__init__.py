"""Commands about instances: how hard they are, and what they need."""
