"""robosym."""
