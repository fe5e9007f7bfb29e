"""Models read back from files."""

from robosym.reading.model import read_model, read_model_text

__all__ = ["read_model", "read_model_text"]
