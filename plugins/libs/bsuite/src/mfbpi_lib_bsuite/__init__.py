"""What environments of DeepMind's bsuite share; importing this imports no bsuite."""
