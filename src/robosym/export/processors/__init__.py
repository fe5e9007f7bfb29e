"""Models for other processors: WebAssembly modules, object files and Python packages."""

from robosym.export.processors.build import build, build_model

__all__ = ["build", "build_model"]
