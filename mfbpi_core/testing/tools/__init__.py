"""What the checks of the kit compare and measure with."""
