"""A model and how it is made: the workspace of an algorithm, the groups of inputs, the guide's names."""

from robosym.model.model import ONLINE_GROUPS, Layout, Model, flat, shape
from robosym.model.naming import Note, no_name
from robosym.model.workspace import Workspace

__all__ = ["ONLINE_GROUPS", "Layout", "Model", "Note", "Workspace", "flat", "no_name", "shape"]
