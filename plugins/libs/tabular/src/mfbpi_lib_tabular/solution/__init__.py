"""What an exact plan of a known model says, and how far its digits are known."""
