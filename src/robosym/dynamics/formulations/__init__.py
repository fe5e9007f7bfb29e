"""Formulations of inverse dynamics side by side: the same torques at very different cost (Silver, Hollerbach)."""

from robosym.dynamics.formulations.compare import Comparison, Formulation, compare

__all__ = ["Comparison", "Formulation", "compare"]
