"""Bridges to independent programs: who says that a number is right."""
