"""Numeric identifiability of joint parameters, such as friction, in a closed robot.

The loops relate joints: if one follows another (in a parallelogram q8' = -q3'), their friction cannot be distinguished.
In the efforts of the active joints, the factor of a parameter is the gradient of a function of the joint rates: qj'^2
/ 2 for FV, |qj'| for FS, and qj' for a constant torque. Their degrees differ, so that each kind depends only on
parameters of the same kind; rotor inertias are among the energy functions of the inertial parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from robosym.algebra.generic import generic_values, random_arrays
from robosym.coordinates.closed_samples import assembled_parallelograms, closed_positions
from robosym.coordinates.closing import Closing, reference_position
from robosym.coordinates.meeting_modes import meeting_modes
from robosym.coordinates.whole_motion import whole_motion
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.parameters.by_numbers import Array, dependence
from robosym.parameters.energy_rows import EnergyRow, follow_couplings
from robosym.parameters.standard import LinkField

__all__ = ["dependent_places"]

_TRIALS = 8  #: maximum number of random geometries, until one closes with a clear rank
_AGREE = 1e-6  #: tolerance for coefficients (of order 1) of two geometries
_POSITIONS, _SHARED = 60, 4  #: closed positions, and velocities at each
_FUNCTIONS: dict[str, Callable[[Array], Array]] = {"FV": np.square, "FS": np.abs, "OFF": lambda rate: rate}

#: by dependent place: the places with which it is grouped, and its coefficients
Grouped = dict[LinkField, dict[LinkField, float]]


def dependent_places(robot: Robot, base: Sequence[LinkField], others: Sequence[LinkField]) -> Grouped:
    """Return the `others` that depend on the base parameters and on earlier ones."""
    if not others:
        return {}
    shapes = list(assembled_parallelograms(robot).values())
    rotors = [place for place in others if place[1] == "IA"]
    columns = {field: [place for place in others if place[1] == field] for field in _FUNCTIONS}
    columns = {field: places for field, places in columns.items() if places}
    energies = EnergyRow.of(robot, [*base, *rotors]) if rotors else None
    known: list[Grouped] = []
    trouble = ""
    for seed in range(_TRIALS):
        geometry = generic_values({*robot.parameters, *(energies.constants if energies else ())}, seed)
        try:
            rates = _rates(Closing(robot, shapes), geometry, seed)
            tables = [
                ([*base, *rotors], energies.samples(geometry, shapes, seed) if energies else None),
                *((c, np.column_stack([_FUNCTIONS[f](rates[j]) for j, _ in c])) for f, c in columns.items()),
            ]
        except InputError as error:  # the loops do not close
            trouble = str(error)
            continue
        found: Grouped = {}
        for places, table in tables:
            if table is not None:
                found |= _dependent(places, table)
        found = {place: shares for place, shares in found.items() if place in others}
        for other in known:
            if _agree(other, found):
                return found
        known.append(found)
        trouble = "their grouping depends on the geometry: give numbers for its lengths and angles"
    raise InputError(f"the identifiable friction and rotor parameters of {robot.name} are unclear: {trouble}")


def _dependent(places: Sequence[LinkField], table: Array) -> Grouped:
    result = dependence(table)
    shares = [places[n] for n in result.independent]
    return {
        places[n]: {place: float(w) for place, w in zip(shares, result.weights[:, at], strict=True) if abs(w) > _AGREE}
        for at, n in enumerate(result.dependent)
    }


def _agree(one: Grouped, other: Grouped) -> bool:
    return one.keys() == other.keys() and all(
        one[place].keys() == shares.keys() and all(abs(one[place][k] - w) < _AGREE for k, w in shares.items())
        for place, shares in other.items()
    )


def _rates(closing: Closing, geometry: Mapping[str, float], seed: int) -> dict[int, Array]:
    """Return rates of the joints, including cut joints, in random motions that keep the loops closed.

    If the robot has a reference position, they are along its whole motion: friction changes its sign where a joint
    reverses.
    """
    rng = random_arrays("energy functions", seed)
    if closing.robot.position and closing.robot.loops:
        starts = meeting_modes(closing, reference_position(closing, closing.robot.position, geometry))
        bases = [basis.real for basis in whole_motion(closing, starts, _POSITIONS, rng, real=True).rates]
    else:
        positions = closed_positions(closing, geometry, rng, _POSITIONS)
        bases = [closing.velocities(position, cut=True) for position in positions]
    rows = [basis @ rng.normal(size=basis.shape[1]) for basis in bases for _ in range(_SHARED)]
    table = np.array(rows)
    if not closing.robot.loops:
        follow_couplings(closing.robot, np.zeros_like(table), table)
    return dict(zip(closing.gaps.joints, np.transpose(table), strict=True))
