"""The command line: the public functions by the guide's menus."""
