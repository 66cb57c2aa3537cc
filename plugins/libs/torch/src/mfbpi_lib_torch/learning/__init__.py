"""The parts that deep agents are made of."""
