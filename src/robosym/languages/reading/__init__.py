"""Models read back from files."""

from robosym.languages.reading.read_model import read_model, read_model_text

__all__ = ["read_model", "read_model_text"]
