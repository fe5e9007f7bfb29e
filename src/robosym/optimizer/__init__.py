"""Optimizer: rewrite a model so that it computes the same outputs with fewer operations."""

from robosym.optimizer.optimize import optimize

__all__ = ["optimize"]
