"""Optimizer: rewriting of models to compute the same outputs with fewer operations."""

from robosym.optimizer.optimize import optimize

__all__ = ["optimize"]
