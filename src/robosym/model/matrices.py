"""Matrices as outputs of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robosym.model.model import Layout
from robosym.model.workspace import Workspace

__all__ = ["define_rows"]


def define_rows(work: Workspace, group: str, rows: Sequence[Sequence[Any]]) -> dict[str, Layout]:
    """The entries of a matrix under the names group + row + column, and its layout; nothing for an empty one."""
    if not rows or not rows[0]:
        return {}
    between = "_" if max(len(rows), len(rows[0])) > 9 else ""
    names = tuple(tuple(f"{group}{r}{between}{c}" for c in range(1, len(rows[0]) + 1)) for r in range(1, len(rows) + 1))
    for row_names, row in zip(names, rows, strict=True):
        for name, entry in zip(row_names, row, strict=True):
            work.define(name, work.graph.zero + entry)
    return {group: names}
