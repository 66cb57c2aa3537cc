"""What the commands show."""
