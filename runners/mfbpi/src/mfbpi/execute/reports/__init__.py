"""What a run tells of itself while it goes on: to its log, and to whoever looks from elsewhere."""
