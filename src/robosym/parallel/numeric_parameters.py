"""Base parameters of a parallel robot with any legs, by the rank of its identification model on random motions.

The model is linear in the parameters: its column of one is the model with this parameter 1 and the others 0. A column
that depends on columns of parameters which are to be kept rather says how much of its parameter each of them holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robosym.algebra import Expr, Graph
from robosym.algebra.generic import ROUNDING
from robosym.algebra.samples import Array, evaluate_arrays
from robosym.description import INERTIA, Link, Parallel
from robosym.description.robot import expressions
from robosym.errors import InputError
from robosym.parallel.motor_forces import inverse_dynamics
from robosym.parallel.random_motions import random_motions
from robosym.parameters.standard import LinkField, Parameter, Standard, standard_parameters

__all__ = ["Grouped", "grouped_by_rank", "parallel_standard", "regressor_columns"]

_POSITIONS = 14
_GRAVITY = -9.81, 0.35, 0.21  #: of symbols, so that none is special
_DEPENDENT = 1e-8  #: a column that leaves less of its length depends on those before it
_WHOLE = 1e-9  #: a share nearer to a whole number is one
_LAST = ("YY", "MZ", "M", "IA")  #: fields that are grouped with others where there is a choice


@dataclass(frozen=True)
class Grouped:
    """The places that are kept, what each holds, and how clear the decision was."""

    forms: dict[LinkField, dict[LinkField, float]]  #: of each that is kept: shares of other parameters and its own, 1
    remark: str


def parallel_standard(robot: Parallel) -> Standard:
    """The parameters of legs and platform; virtual links and what stands for the platform in a leg have none."""
    standard = standard_parameters(robot.carrier())
    ends = {numbers[-1] for numbers in robot.legs}

    def real(p: Parameter) -> bool:
        if p.link in ends or p.link > robot.platform_frame:
            return False
        link = robot.platform if p.link == robot.platform_frame else robot.tree.link(p.link)
        return any(not value.is_zero for _, value in expressions(link))

    return replace(standard, inertial=tuple(p for p in standard.inertial if real(p)))


def regressor_columns(robot: Parallel, standard: Standard, places: list[LinkField]) -> Array:
    """Efforts of the motors (states x motors, places) for a unit of the parameter at each place alone."""
    names = {place: f"K{number}" for number, place in enumerate(places)}
    by_link: dict[int, dict[str, Any]] = {}
    for (link, field), name in names.items():
        by_link.setdefault(link, {})[field] = name
    bare = {**dict.fromkeys((*INERTIA, "IA", "FV", "FS"), 0)}

    def bared(link: Link, number: int) -> dict[str, Any]:
        own = by_link.get(number, {})
        return {**bare, **own} if any(not value.is_zero for _, value in expressions(link)) else own

    named = robot.through(
        lambda carrier: carrier.with_links([bared(link, j) for j, link in enumerate(carrier.links, 1)])
    )
    model = inverse_dynamics(named)
    motors = len(robot.motors)
    motions = random_motions(named, _POSITIONS, max(2, 3 * len(places) // (motors * _POSITIONS) + 1))
    values: dict[str, Any] = {name: np.asarray(column)[:, None] for name, column in motions.items()}
    for number, name in enumerate(names.values()):
        values[name] = np.eye(len(places))[number][None, :]
    for number, name in enumerate(model.inputs.get("gravity", ())):
        values[name] = _GRAVITY[number % len(_GRAVITY)]
    for group in ("wrench", "parameters"):
        values |= {name: 0.0 for name in model.inputs.get(group, ()) if name not in values}
    states = len(next(iter(motions.values())))
    efforts = evaluate_arrays([model.definitions[f"GAM{j}"] for j in robot.motors], values)
    table = np.stack([np.broadcast_to(np.asarray(e), (states, len(places))) for e in efforts])
    if not np.isfinite(table).all():
        raise InputError(f"{robot.name}: its model is singular near the reference position: give another")
    return table.reshape(-1, len(places))


def preferred(robot: Parallel, places: list[LinkField]) -> list[LinkField]:
    """The order in which parameters are kept: the platform's, then link by link from the base (GS VI)."""

    def key(place: LinkField) -> tuple[int, int, bool]:
        link, field = place
        legs = [numbers.index(link) for numbers in robot.legs if link in numbers]
        return (legs[0] + 1 if legs else 0), link, field in _LAST

    return sorted(places, key=key)


def grouped_by_rank(robot: Parallel, standard: Standard) -> Grouped:
    """Which parameters are kept, and the shares of the others in them."""
    order = preferred(robot, [p.place for p in standard.inertial])
    D = regressor_columns(robot, standard, order)
    lengths = np.linalg.norm(D, axis=0)
    largest = lengths.max(initial=0.0)
    kept: list[int] = []
    basis = np.zeros((len(D), 0))
    left, dropped = [], []
    for k in range(len(order)):
        if lengths[k] <= _DEPENDENT * largest:
            continue
        rest = D[:, k] / lengths[k]
        for _ in range(2):  # twice is enough
            rest = rest - basis @ (basis.T @ rest)
        size = float(np.linalg.norm(rest))
        if size > _DEPENDENT:
            kept.append(k)
            left.append(size)
            basis = np.column_stack([basis, rest / size])
        else:
            dropped.append((k, size))
    scaled = D[:, kept] / lengths[kept]
    forms: dict[LinkField, dict[LinkField, float]] = {order[k]: {order[k]: 1.0} for k in kept}
    for k, _ in dropped:
        shares = np.linalg.lstsq(scaled, D[:, k], rcond=None)[0] / lengths[kept]
        for m, share in zip(kept, shares, strict=True):
            value = _tidy(float(share), float(lengths[k] / lengths[m]))
            if value:
                forms[order[m]][order[k]] = value
    smallest, largest_left = min(left, default=0.0), max((size for _, size in dropped), default=0.0)
    remark = f"rank {len(kept)} of {len(order)} columns: smallest residual kept {smallest:.1e}, largest dropped "
    return Grouped(forms, f"{remark}{largest_left:.1e}, tolerance {_DEPENDENT:.0e}")


def _tidy(share: float, size: float) -> float:
    """A share without its rounding."""
    if abs(share) < _WHOLE * size or abs(share) < ROUNDING:
        return 0.0
    return float(round(share)) if abs(share - round(share)) < _WHOLE else share


def grouping_of(
    robot: Parallel, standard: Standard, grouped: Grouped, graph: Graph
) -> tuple[dict[str, Expr], dict[str, LinkField]]:
    """Names of base parameters with their expressions, and their places."""
    names = {p.place: p.name for p in standard.inertial}
    grouping: dict[str, Expr] = {}
    places: dict[str, LinkField] = {}
    first = sorted(grouped.forms, key=lambda place: (place[0], list(names).index(place)))
    for place in first:
        form: Mapping[LinkField, float] = grouped.forms[place]
        value = graph.zero
        for other, share in form.items():
            number = graph.number(int(share) if share == int(share) else share)
            value = value + number * graph.symbol(names[other])
        link, field = place
        label = "P" if link == robot.platform_frame else str(link)
        plain = f"{field}P" if label == "P" else names[place]
        name = plain if len(form) == 1 else f"{field}{label}R"
        grouping[name], places[name] = value, place
    return grouping, places
