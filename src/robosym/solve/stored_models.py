"""Inverse geometric models cached on disk, with their machine code, in the folder of the code cache.

A key is a digest of everything a model depends on: the chain with its numbers, the options and the source of this
package. An entry that cannot be read is derived again.
"""

from __future__ import annotations

import hashlib
import pickle
import platform
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np

from robosym.algebra import reachable
from robosym.chains.chain import JointChain

__all__ = ["chain_key", "stored"]

Model = TypeVar("Model")
_PACKAGES = ("algebra", "chains", "coordinates", "languages", "mechanism", "model", "runtime", "solve", "spatial")


def stored(key: str, make: Callable[[], Model]) -> Model:
    """Return the model of a key from the cache, or make it and store it."""
    from robosym.runtime import code_cache  # the runtime takes long to load

    data = code_cache.read(key)
    if data is not None:
        try:
            found: Model = pickle.loads(data)
            return found
        except Exception:  # of any part of the model
            pass
    made = make()
    if code_cache.folder() is not None:
        try:
            code_cache.write(key, pickle.dumps(made))
        except (TypeError, AttributeError, ValueError, pickle.PicklingError):
            return made
    return made


def chain_key(chain: JointChain, options: Mapping[str, object]) -> str:
    """Return the digest of a chain, its options and the source of the package."""
    entries = [entry for constant in chain.constants for entry in (*constant.A, *constant.P)]
    nodes = reachable(entries)
    place = {node: at for at, node in enumerate(nodes)}
    table = [
        (node.op, repr(node.value), [(place[e.node], e.negative) for e in node.args], node.level.name) for node in nodes
    ]
    ends = [(place[entry.node], entry.negative) for entry in entries]
    joints = [(joint.name, joint.prismatic, joint.sign) for joint in chain.joints]
    described = (_source(), table, ends, joints, chain.goal, sorted((k, repr(v)) for k, v in options.items()))
    return hashlib.sha256(repr(described).encode()).hexdigest()


@cache
def _source() -> tuple[object, ...]:
    """Return data that identify a version of the program: versions, and sizes and times of the source files."""
    top = Path(__file__).parents[1]
    found = []
    for package in _PACKAGES:
        for path in sorted((top / package).rglob("*.py")):
            state = path.stat()
            found.append((str(path.relative_to(top)), state.st_size, state.st_mtime_ns))
    return platform.python_version(), np.__version__, platform.machine(), tuple(found)
