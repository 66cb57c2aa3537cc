"""What each kind of plugin promises: abstract classes, and how parameters are declared."""
