"""Passes over a model, and the count of its operations."""

from robosym.optimize.count import Operations, count

__all__ = ["Operations", "count"]
