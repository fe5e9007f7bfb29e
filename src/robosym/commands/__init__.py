"""The commands, by the menus of the guide."""
