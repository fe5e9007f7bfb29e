"""Formulations of inverse dynamics for comparison: equal torques at different cost (Silver, Hollerbach)."""

from robosym.dynamics.formulations.compare import Comparison, Formulation, compare

__all__ = ["Comparison", "Formulation", "compare"]
