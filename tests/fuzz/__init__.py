"""Fuzzing: damaged and hostile inputs for every reader must give a result or a robosym error, within limits."""
