"""The local page of `robosym app`. Only this package imports NiceGUI, and only when the command runs."""
