"""Base parameters checked, and where needed reduced further, by numbers (guide, appendix 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from robosym.algebra import Expr, Graph, Level, evaluate
from robosym.algebra.generic import generic_values
from robosym.algebra.modular import rank_of
from robosym.description import GEOMETRY, Robot
from robosym.errors import InputError
from robosym.loops.parallelogram import Parallelogram, parallelograms
from robosym.parameters.base import BaseParameters, named, symbolic_base
from robosym.parameters.energy_table import Array, Dependence, EnergyTable, Place, dependence
from robosym.parameters.recognition import Vocabulary
from robosym.spatial import cos, sin
from robosym.tree.zero import frame_places

__all__ = ["base_parameters", "checked"]

_AGREE = 1e-6
_TRIALS = 8


def base_parameters(robot: Robot, method: str = "symbolic", structure: str | None = None) -> BaseParameters:
    """The base inertial parameters of a robot.

    `method="symbolic"` applies the rules of the guide, for any geometry. `method="numeric"` checks them by the rank of
    the energy functions at random points, loops closed by iteration, and groups further parameters where the rules
    missed some (`missed`); for a tree the rank is proved by exact arithmetic. `remark` tells what was found.
    A closed robot gives the parameters of its equivalent tree with `structure="tree"`.
    """
    if method not in ("symbolic", "numeric"):
        raise InputError(f"method: expected 'symbolic' or 'numeric', found {method!r}")
    if structure not in (None, "tree"):
        raise InputError(f"structure: expected None or 'tree', found {structure!r}")
    closed = bool(robot.loops) and structure is None
    symbolic = symbolic_base(robot, closed)
    return symbolic if method == "symbolic" else checked(symbolic, closed)


def checked(symbolic: BaseParameters, closed: bool) -> BaseParameters:
    """The symbolic result compared with numbers, and what it missed grouped as well."""
    robot = symbolic.given if closed or not symbolic.given.loops else _tree_of(symbolic.given)
    kept = list(symbolic.places.values())
    standard = [(p.link, p.field) for p in symbolic.standard.inertial]
    order = [*kept, *(place for place in standard if place not in symbolic.places.values())]
    table = EnergyTable.of(robot, order)
    graph = Graph()
    shapes = parallelograms(robot, frame_places(robot, graph)[0])
    geometries, found = _agreeing(symbolic, table, shapes)
    first = found[0]
    remark = (
        f"rank {len(first.independent)} of {len(standard)} columns by QR of energy differences: "
        f"smallest residual kept {first.smallest_kept:.1e}, largest dropped {first.largest_dropped:.1e}, "
        f"tolerance {first.tolerance:.1e}"
    )
    if not robot.loops:
        proved = rank_of({place: table.functions[place] for place in standard}, table.varying)
        remark += f"; exact rank {proved}" + (" (proved)" if proved == len(kept) else "")
    missed = [n for n in first.dependent if n < len(kept)]
    if not missed:
        return replace(symbolic, method="numeric", remark=remark)
    words = Vocabulary(graph, _words(robot, graph), geometries)
    result = named(symbolic.given, symbolic.standard, _grouped(symbolic, missed, found, words))
    names = symbolic.names
    return replace(result, method="numeric", missed=tuple(names[n] for n in missed), remark=remark)


def _agreeing(
    symbolic: BaseParameters, table: EnergyTable, shapes: Sequence[Parallelogram]
) -> tuple[list[dict[str, float]], list[Dependence]]:
    """Two geometries that leave no doubt about the rank, and agree on it and with the symbolic grouping.

    A geometry may be bad by chance: one in which the loops do not close, or hardly move.
    """
    names = {*table.robot.parameters, *table.constants()}
    known: list[tuple[dict[str, float], Dependence]] = []
    trouble = ""
    changes = any(word.level is not Level.NUMBER for word in _words(table.robot, Graph()))
    for seed in range(_TRIALS):
        geometry = generic_values(names, seed)
        try:
            found = dependence(table.samples(geometry, shapes, seed))
        except InputError as error:  # the loops do not close
            if not changes:
                raise
            trouble = str(error)
            continue
        trouble = f"largest residual dropped {found.largest_dropped:.1e}, smallest kept {found.smallest_kept:.1e}"
        if found.independent[-1:] >= [len(symbolic.names)] or not found.clear:
            continue
        off = _grouping_error(symbolic, list(table.functions), found, geometry)
        if off > _AGREE:
            trouble = f"the coefficients of the symbolic grouping are off by {off:.1e}"
            continue
        for other, same in known:
            if same.independent == found.independent:
                return [other, geometry], [same, found]
        known.append((geometry, found))
    raise InputError(f"the base parameters of {table.robot.name} are not clear from numbers: {trouble}")


def _grouped(
    symbolic: BaseParameters, missed: Sequence[int], found: Sequence[Dependence], words: Vocabulary
) -> dict[Place, Expr]:
    """What is left when the missed parameters, numbers in the order of `symbolic`, go to those that they depend on."""
    names, first = symbolic.names, found[0]
    values = words.graph.copy(symbolic.grouping.values())
    rows = {symbolic.places[names[n]]: values[n] for n in first.independent}
    for column in missed:
        at = first.dependent.index(column)
        for row, n in enumerate(first.independent):
            weights = [dependence.weights[row, at] for dependence in found]
            weight = words.recognise(weights)
            if weight is None:
                if any(word.level is not Level.NUMBER for word in words.words):
                    raise InputError(_unknown(symbolic.given, names[column], names[n]))
                weight = words.graph.number(float(weights[0]))
            place = symbolic.places[names[n]]
            rows[place] = rows[place] + weight * values[column]
    return rows


def _unknown(robot: Robot, gone: str, other: str) -> str:
    return (
        f"{gone} is grouped with {other} by a coefficient that is no short expression of the geometry of {robot.name}: "
        "give numbers for its lengths and angles"
    )


def _grouping_error(
    symbolic: BaseParameters, order: Sequence[Place], found: Dependence, geometry: Mapping[str, float]
) -> float:
    """How far the dependent columns are from what the symbolic grouping says, in units of coefficients."""
    count = len(symbolic.places)
    matrix = np.zeros((count, len(order)))
    place_of = {p.name: (p.link, p.field) for p in symbolic.standard.inertial}
    for row, entries in enumerate(symbolic.coefficients.values()):
        for name, value in zip(entries, evaluate(entries.values(), geometry), strict=True):
            matrix[row, order.index(place_of[name])] = value
    # a base column that depends on others counts as their sum
    reduction = np.zeros((len(found.independent), count))
    for row, n in enumerate(found.independent):
        reduction[row, n] = 1
    for at, n in enumerate(found.dependent):
        if n < count:
            reduction[:, n] = found.weights[:, at]
    grouped: Array = reduction @ matrix
    errors = [
        float(np.max(np.abs(grouped[:, n] - found.weights[:, at]), initial=0.0))
        for at, n in enumerate(found.dependent)
        if n >= count
    ]
    return max(errors, default=0.0)


def _words(robot: Robot, graph: Graph) -> list[Expr]:
    """Lengths, and sines and cosines of angles, of the constant geometry."""
    words: list[Expr] = []
    for frame in robot.frames:
        entries = {name: graph.copy([getattr(frame, name)])[0] for name in GEOMETRY}
        for name, entry in entries.items():
            if name == frame.joint_type.variable:
                continue
            if name in ("gamma", "alpha", "theta"):
                words += [cos(entry), sin(entry)] if entry.level is not Level.NUMBER or not entry.is_zero else []
            else:
                words.append(entry)
    return words


def _tree_of(robot: Robot) -> Robot:
    """The equivalent tree: no cut joints."""
    return replace(robot, frames=robot.frames[: robot.NL], joints=robot.joints[: robot.NL])
