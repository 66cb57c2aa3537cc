"""Commands about what runs have written."""
