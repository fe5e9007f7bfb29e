"""Models, and the tools to build them: workspace, groups of inputs, and names of the SYMORO+ guide."""

from robosym.mechanism.motion import Note, no_name
from robosym.model.composition import compose
from robosym.model.groups import is_online
from robosym.model.model import Model
from robosym.model.naming import Layout, flat, shape
from robosym.model.origin import Derived, Origin
from robosym.model.workspace import Workspace

__all__ = [
    "Derived", "Layout", "Model", "Note", "Origin", "Workspace", "compose", "flat", "is_online", "no_name", "shape",
]  # fmt: skip
