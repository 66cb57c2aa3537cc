"""The parts that tabular agents and metrics are made of."""
