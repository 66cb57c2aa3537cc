"""What a user is told about a known model."""
