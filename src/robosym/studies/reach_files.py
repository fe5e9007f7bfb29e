"""Files of a workspace: its surface as triangles (STL) and its grid with all quantities (VTK)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import Array
from robosym.algebra.tolerances import TINY
from robosym.errors import InputError
from robosym.files import write_bytes, write_text
from robosym.solve.pose_coordinates import COORDINATES, PoseCoordinates

if TYPE_CHECKING:
    from robosym.studies.platform_workspace import Reach

__all__ = ["boundary", "enclosed_volume", "write_grid", "write_surface"]

_HALVINGS = 14  #: of the distance between a reached and an unreached pose


def boundary(reach: Reach) -> tuple[Array, NDArray[np.int_]]:
    """Return the surface of a workspace over three lengths: vertices (n, 3) in m and quadrangles (m, 4), outward.

    Each cell that the boundary crosses has one vertex, the mean of the crossings of its edges, which are located by
    bisection. Where the workspace extends beyond the grid, the boundary of the grid closes the surface.
    """
    axes = _lengths(reach)
    inside = np.pad(reach.reached.reshape([len(values) for values in axes]), 1)
    padded = [np.concatenate([[v[0]], v, [v[-1]]]) for v in axes]
    sums = np.zeros((*np.subtract(inside.shape, 1), 3))
    counts = np.zeros(np.subtract(inside.shape, 1), dtype=int)
    quads: list[NDArray[np.int_]] = []
    for axis in range(3):
        low = [slice(0, -1) if k == axis else slice(None) for k in range(3)]
        high = [slice(1, None) if k == axis else slice(None) for k in range(3)]
        a, b = inside[tuple(low)], inside[tuple(high)]
        edges = np.argwhere(a != b)
        if not len(edges):
            continue
        step = np.eye(3, dtype=int)[axis]
        from_inside = a[tuple(edges.T)]
        start = np.where(from_inside[:, None], edges, edges + step)
        stop = np.where(from_inside[:, None], edges + step, edges)
        crossing = _crossings(reach, *(np.stack([padded[k][n[:, k]] for k in range(3)], axis=1) for n in (start, stop)))
        others = [k for k in range(3) if k != axis]
        u, v = (np.eye(3, dtype=int)[k] for k in others)
        ring = [edges - u - v, edges - v, edges, edges - u]  # the cells around an edge
        for cells in ring:
            np.add.at(sums, tuple(cells.T), crossing)
            np.add.at(counts, tuple(cells.T), 1)
        numbers = np.stack([np.ravel_multi_index(tuple(cells.T), counts.shape) for cells in ring], axis=1)
        outward = from_inside == (axis != 1)
        quads.append(np.where(outward[:, None], numbers, numbers[:, ::-1]))
    if not quads:
        return np.zeros((0, 3)), np.zeros((0, 4), dtype=int)
    used, faces = np.unique(np.concatenate(quads), return_inverse=True)
    vertices = (sums.reshape(-1, 3) / np.maximum(counts.reshape(-1, 1), 1))[used]
    return vertices, faces.reshape(-1, 4)


def _lengths(reach: Reach) -> list[Array]:
    wide = {name: values for name, values in reach.axes.items() if len(values) > 1}
    if list(wide) != ["x", "y", "z"] or any((np.diff(values) <= 0).any() for values in wide.values()):
        raise InputError(f"expected a grid over ascending x, y and z, found {', '.join(wide) or 'one pose'}")
    return list(wide.values())


def _crossings(reach: Reach, inside: Array, outside: Array) -> Array:
    """Return points between reached and unreached positions, found by bisection."""
    if reach.share_of:
        return (inside + outside) / 2  # orientations are combined on the grid only
    coordinates = PoseCoordinates(reach.conditions.robot, reach.conditions.modes)
    held = {name: values[0] for name, values in reach.axes.items() if len(values) == 1}
    low, high = np.zeros(len(inside)), np.ones(len(inside))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        places = inside + middle[:, None] * (outside - inside)
        given = dict(zip(COORDINATES[:3], places.T, strict=True)) | {
            n: np.full(len(places), v) for n, v in held.items()
        }
        rows = coordinates.poses(given, reach.start)
        finite: NDArray[np.bool_] = np.asarray(np.isfinite(rows).all(axis=1))
        good = finite & (reach.conditions.reasons(np.where(finite[:, None], rows, reach.start)) == 0)
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return np.asarray(inside + low[:, None] * (outside - inside))


def enclosed_volume(vertices: Array, faces: NDArray[np.int_]) -> float:
    """Return the volume inside a closed surface of triangles or quadrangles."""
    corners = vertices[_triangles(faces)]
    return float(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6)


def _triangles(faces: NDArray[np.int_]) -> NDArray[np.int_]:
    return np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]]) if faces.shape[1] == 4 else faces


def write_surface(reach: Reach, path: Path) -> None:
    """Write the surface as binary STL, in m."""
    vertices, faces = boundary(reach)
    corners = vertices[_triangles(faces)] if len(faces) else np.zeros((0, 3, 3))
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), TINY)
    table = np.zeros(len(corners), dtype=[("numbers", "<f4", (4, 3)), ("unused", "<u2")])
    table["numbers"] = np.concatenate([normals[:, None], corners], axis=1)
    head = f"workspace of {reach.conditions.robot.name}, m"[:79].encode("ascii", "replace").ljust(80, b" ")
    write_bytes(path, head + np.uint32(len(corners)).astype("<u4").tobytes() + table.tobytes())


def write_grid(reach: Reach, path: Path) -> None:
    """Write the grid with reach, reasons, dexterity and measures as a legacy VTK file (rectilinear grid)."""
    axes = list(reach.axes.values())
    if len(axes) > 3:
        raise InputError(f"{path}: expected a grid over at most three axes, found {len(axes)}")
    axes += [np.zeros(1)] * (3 - len(axes))
    names = [*reach.axes, *(["-"] * (3 - len(reach.axes)))]
    about = f"workspace of {reach.conditions.robot.name} over {', '.join(reach.axes)}".encode("ascii", "replace")
    lines = ["# vtk DataFile Version 3.0", about.decode()[:250], "ASCII", "DATASET RECTILINEAR_GRID",
             f"DIMENSIONS {' '.join(str(len(values)) for values in axes)}"]  # fmt: skip
    for letter, values, _ in zip("XYZ", axes, names, strict=True):
        lines += [f"{letter}_COORDINATES {len(values)} double", _row(values)]
    lines.append(f"POINT_DATA {reach.reached.size}")
    scalars: Sequence[tuple[str, str, NDArray[Any]]] = (
        ("reached", "int", reach.reached), ("reasons", "int", reach.reasons),
        ("dexterity", "double", reach.dexterity), ("type1", "double", reach.type1.min(axis=-1)),
        ("type2", "double", reach.type2),
    )  # fmt: skip
    for name, kind, values in scalars:
        flat = np.nan_to_num(np.ravel(values, order="F").astype(float), nan=-1.0)  # VTK varies x first
        lines += [f"SCALARS {name} {kind} 1", "LOOKUP_TABLE default", _row(flat, kind)]
    write_text(path, "\n".join(lines) + "\n")


def _row(values: Array, kind: str = "double") -> str:
    return " ".join(str(int(v)) if kind == "int" else repr(float(v)) for v in values)
