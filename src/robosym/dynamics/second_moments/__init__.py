"""Equivalent recursions among which the optimizer chooses."""
