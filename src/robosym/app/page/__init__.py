"""The local page of `robosym app`: NiceGUI is imported when the command runs, and nowhere else."""
