"""Libraries that robosym does not require."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from robosym.errors import InputError

__all__ = ["library"]


def library(name: str, package: str) -> Any:
    """Import a library, or raise an error that says how to install it."""
    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"{package} is not installed: pip install {package}") from None
