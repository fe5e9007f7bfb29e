"""Dynamic models."""

from robosym.dynamics.inverse import inverse_dynamics

__all__ = ["inverse_dynamics"]
