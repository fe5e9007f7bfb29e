"""The keys of a .par file: how each dialect spells them and how many entries they have."""

from __future__ import annotations

from robosym.mechanism import BASE_MOTION, DRIVE, INERTIA, WRENCH

__all__ = ["FLAGS", "FRAME_KEYS", "JOINT_KEYS", "LINK_KEYS", "OPTIONAL", "SIZES", "SPELLING", "SYMORO", "VECTORS"]

SIZES = ("NF", "NL", "NJ", "Type")
FLAGS = ("is_floating", "is_mobile")
FRAME_KEYS = ("ant", "sigma", "b", "d", "r", "gamma", "alpha", "mu", "theta")
LINK_KEYS = (*INERTIA, *DRIVE, *WRENCH)
JOINT_KEYS = ("eta", "k", "QP", "QDP", "GAM")
VECTORS = {**dict.fromkeys(BASE_MOTION, 3), "Z": 16, "G": 3}

#: How SYMORO+ spells the keys that OpenSYMORO writes in lower case.
SYMORO = {
    "ant": "Ant", "sigma": "Sigma", "b": "B", "r": "R", "alpha": "Alpha", "mu": "Mu", "theta": "Theta",
}  # fmt: skip
#: What SYMORO+ does not know, and has a default for that reason only.
OPTIONAL = frozenset({"eta", "k", "GAM", *FLAGS})

#: Every spelling that is read, and the key that it stands for.
SPELLING = {key: key for key in (*SIZES, *FLAGS, *FRAME_KEYS, *LINK_KEYS, *JOINT_KEYS, *VECTORS)} | {
    symoro: key for key, symoro in SYMORO.items()
}
