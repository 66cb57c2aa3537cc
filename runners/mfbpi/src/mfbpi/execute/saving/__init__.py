"""What a long run goes on from after it was killed, and what stays of it in the end."""
