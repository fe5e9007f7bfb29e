"""Base parameters of a parallel robot with any legs, by the rank of its energies along its assembly mode.

The energy is linear in the parameters. The coefficients of a dependent column give the grouping of its parameter with
preferred ones.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robosym.algebra import Expr, Graph
from robosym.algebra.generic import generic_values
from robosym.algebra.samples import Array
from robosym.algebra.subspaces import independent_columns
from robosym.algebra.tolerances import DEPENDENT, ROUNDING, ZERO
from robosym.coordinates.leg_chain import axes_at_end
from robosym.coordinates.reference import numeric_reference
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.elements import expressions
from robosym.mechanism.series import closed_form
from robosym.parameters.closed_parameters import Grouped
from robosym.parameters.energy_rows import EnergyRow
from robosym.parameters.standard import LinkField, Parameter, Standard, named, standard_parameters

__all__ = ["grouped_by_rank", "parallel_standard", "tidy"]

_GAP = 0.01  #: largest ratio of residuals of dependent and independent columns for a clear rank
_LAST = ("YY", "MZ", "M", "IA")  #: fields that are preferably grouped with others


Forms = dict[LinkField, dict[LinkField, float]]  #: coefficients of grouped parameters, and its own, 1


def parallel_standard(robot: Robot) -> Standard:
    """Return the parameters of legs and platform; virtual links and last links of legs have none."""
    standard = standard_parameters(robot, closed=True)  # passive joints have no rotors
    ends = {numbers[-1] for numbers in robot.legs}

    def real(p: Parameter) -> bool:
        if p.link in ends or p.link > robot.module.end:
            return False
        return any(not value.is_zero for _, value in expressions(robot.link(p.link)))

    inertial, apart = (tuple(p for p in some if real(p)) for some in (standard.inertial, standard.apart))
    return replace(standard, inertial=inertial, apart=apart)


def energy_columns(robot: Robot, places: list[LinkField]) -> tuple[Array, str]:
    """Return energies per unit of each parameter (columns) along a mode, and a description of the samples.

    They are those of the equivalent robot with loops, without loads such as wrenches.
    """
    reference = numeric_reference(robot)
    assert reference is not None
    closed, links = closed_form(robot, robot.closed_position())
    known = {name: value for name, value in reference.samples[0].joints.items() if name in closed.variables}
    closed = replace(closed, position=known)
    number = {own: k for k, own in links.items()}
    row = EnergyRow.of(closed, [(number[link], field) for link, field in places])
    return row.samples(generic_values({*closed.parameters, *row.constants}, 0), (), 0), row.domain


def preferred(robot: Robot, places: list[LinkField]) -> list[LinkField]:
    """Return the order of preference of parameters: the platform's, then link by link from the base (GS VI).

    For a link that carries the platform, its mass and its first moment towards the platform precede others, because
    both can be located at its ends.
    """
    ends: dict[int, tuple[str, ...]] = {}
    for leg, numbers in enumerate(robot.legs):
        axes = axes_at_end(robot, leg)
        if 0 < axes < len(numbers):
            hub = robot.frame(numbers[-axes])
            long = max(("MX", hub.d), ("MY", hub.r), key=lambda one: not one[1].is_zero)[0]
            ends[numbers[-1 - axes]] = long, "M", "IA"

    def key(place: LinkField) -> tuple[int, int, int]:
        link, field = place
        legs = [numbers.index(link) for numbers in robot.legs if link in numbers]
        last = ends.get(link, _LAST)
        return (legs[0] + 1 if legs else 0), link, last.index(field) + 1 if field in last else 0

    return sorted(places, key=key)


def grouped_by_rank(robot: Robot, letter: str) -> Grouped:
    """Return the numeric base parameters; `letter` replaces the platform's number in names."""
    standard = parallel_standard(robot)
    forms, remark = _forms(robot, standard)
    names = {p.place: p.name for p in standard.inertial}
    order = {place: k for k, place in enumerate(names)}
    graph = Graph()
    left: dict[LinkField, Expr] = {}
    for place in sorted(forms, key=order.__getitem__):
        value = graph.zero
        for other, share in forms[place].items():
            number = graph.number(int(share) if share == int(share) else share)
            value = value + number * graph.symbol(names[other])
        left[place] = value
    grouping, places = named(left, standard, robot, {robot.module.end: letter})
    return Grouped(standard, grouping, places, "numeric", remark)


def _forms(robot: Robot, standard: Standard) -> tuple[Forms, str]:
    """Return the base parameters with the coefficients of grouped ones, and a remark on the rank."""
    order = preferred(robot, [p.place for p in standard.inertial])
    D, domain = energy_columns(robot, order)
    lengths = np.linalg.norm(D, axis=0)
    kept, left = independent_columns(D, DEPENDENT)
    counting = lengths > DEPENDENT * lengths.max(initial=0.0)
    dropped = [k for k in range(len(order)) if counting[k] and k not in kept]
    scaled = D[:, kept] / lengths[kept]
    forms: Forms = {order[k]: {order[k]: 1.0} for k in kept}
    found = np.linalg.lstsq(scaled, D[:, dropped], rcond=None)[0].T / lengths[kept]
    for k, shares in zip(dropped, found, strict=True):
        for m, share in zip(kept, shares, strict=True):
            value = tidy(float(share), float(lengths[k] / lengths[m]))
            if value:
                forms[order[m]][order[k]] = value
    smallest, largest_left = left[kept].min(initial=1.0), left[dropped].max(initial=0.0)
    if largest_left > _GAP * smallest:
        raise InputError(
            f"the numeric rank of the base parameters of {robot.name} is unclear: largest residual dropped "
            f"{largest_left:.1e}, smallest kept {smallest:.1e}"
        )
    remark = f"rank {len(kept)} of {len(order)} columns by QR of energies {domain}: "
    remark += f"smallest residual kept {smallest:.1e}, largest dropped "
    return forms, f"{remark}{largest_left:.1e}, tolerance {DEPENDENT:.0e}"


def tidy(share: float, size: float) -> float:
    """Return a coefficient without rounding errors."""
    if abs(share) < ZERO * size or abs(share) < ROUNDING:
        return 0.0
    return float(f"{share:.11g}")
