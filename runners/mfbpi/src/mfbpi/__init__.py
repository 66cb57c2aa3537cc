"""Best-policy identification as a library."""
