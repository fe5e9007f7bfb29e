"""Interfaces to independent programs that confirm results."""
