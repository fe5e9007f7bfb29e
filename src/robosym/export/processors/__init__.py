"""Models for other processors: WebAssembly."""

from robosym.export.processors.build import build, build_model

__all__ = ["build", "build_model"]
