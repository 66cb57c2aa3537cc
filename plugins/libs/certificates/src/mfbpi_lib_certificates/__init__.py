"""What a stopping rule hands over, and how anyone checks it without trusting the rule."""
