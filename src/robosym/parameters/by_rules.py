"""Symbolic base parameters: rules of trees, then relations of loops (guide 4.5.3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from robosym.algebra import Expr, Graph
from robosym.algebra.generic import vanishes
from robosym.algebra.linear.echelon import Coefficient, Row, coefficients, reduced_rows
from robosym.coordinates.closed_samples import assembled_parallelograms
from robosym.coordinates.loops import loops_of, parallelogram_of
from robosym.mechanism import INERTIA, Robot
from robosym.mechanism.motion import Place, frame_places
from robosym.parameters.freedom import LinkRotation, Mobility, motions
from robosym.parameters.linear_forms import linear_coefficients
from robosym.parameters.loop_relations import loop_relations
from robosym.parameters.standard import LinkField, Standard, inertial_fields, unused
from robosym.spatial import Scalar, Transform, Vec3, parallel
from robosym.spatial.inertia import RigidInertia

__all__ = ["GroupingRecord", "LinkGrouping", "group", "grouped_by_rules", "grouped_in_tree"]


@dataclass(frozen=True, slots=True)
class LinkGrouping:
    """Result of the rules of trees for one link: the remaining parameters, and those of its antecedent."""

    link: int
    antecedent: int
    rules: tuple[str, ...]  #: names of the rules, as in `Share.rules`
    before: tuple[RigidInertia, Scalar]  #: inertia and rotor inertia of the link, with what outer links gave it
    after: tuple[RigidInertia, Scalar]
    antecedent_after: RigidInertia


@dataclass(slots=True)
class GroupingRecord:
    """Steps of a grouping, for a reader."""

    links: list[LinkGrouping] = field(default_factory=list)  #: from the last link to the first
    names: Mapping[LinkField, str] = field(default_factory=dict)  #: names of the standard parameters
    #: by eliminated parameter, its energy function as a sum over those of remaining parameters
    relations: dict[LinkField, dict[LinkField, Expr]] = field(default_factory=dict)
    parallelograms: int = 0


def grouped_in_tree(
    robot: Robot,
    graph: Graph,
    names: Mapping[LinkField, str],
    places: Mapping[int, Place],
    gravity: Vec3,
    motion: Mapping[int, Mobility],
    record: GroupingRecord | None = None,
) -> dict[LinkField, Expr]:
    """Return the nonzero remaining parameters of each link, as linear forms in the named parameters.

    `places` and `gravity`, expressions of `graph`, are those of the robot at zero joint values; `motion` contains the
    mobility of each link.
    """

    def symbol(j: int, field: str) -> Expr:
        return graph.symbol(names[j, field]) if (j, field) in names else graph.zero

    numbers = range(robot.NL + 1)
    inertias = [RigidInertia(*(symbol(j, field) for field in INERTIA)) for j in numbers]
    K, IA = group(places, inertias, [symbol(j, "IA") for j in numbers], gravity, motion, record)
    left = {
        (j, field): IA[j] if field == "IA" else getattr(K[j], field)
        for j in numbers
        for field in inertial_fields
        if j or robot.base.kind == "floating"
    }
    return {at: value for at, value in left.items() if isinstance(value, Expr) and not value.is_zero}


def group(
    places: Mapping[int, Place],
    inertias: Sequence[RigidInertia],
    rotors: Sequence[Scalar],
    gravity: Vec3,
    motion: Mapping[int, Mobility],
    record: GroupingRecord | None = None,
) -> tuple[list[RigidInertia], list[Scalar]]:
    """Return inertias and rotor inertias, mostly zero, that give the same torques; number 0 is the base."""
    K, IA = list(inertias), list(rotors)
    for j in range(len(inertias) - 1, 0, -1):
        place, here, before = places[j], motion[j], motion[places[j].ant]
        if not place.joint.moves:  # rigidly attached to its antecedent
            share = Share(RigidInertia(), IA[j], (K[j],), ("fixed",))
        elif place.joint.only_slides:
            share = _sliding(K[j], IA[j], here, before, place.T, gravity)
        elif place.joint.only_turns:
            share = _turning(K[j], IA[j], here, before, place.T, gravity)
        else:  # helical: an inertia without mass and first moments is constant along the axis
            around = RigidInertia(XX=K[j].YY, YY=K[j].YY)
            share = Share(replace(K[j], XX=K[j].XX - K[j].YY, YY=0), IA[j], (around,), ("helical",))
        before_j = K[j], IA[j]
        K[j], IA[j] = share.stays, share.rotor
        for inertia in share.given:
            K[place.ant] = K[place.ant] + inertia.moved(place.T)
        if record is not None:
            after = (K[j], IA[j])
            record.links.append(LinkGrouping(j, place.ant, share.rules, before_j, after, K[place.ant]))
    return K, IA


@dataclass(frozen=True, slots=True)
class Share:
    """Division of the parameters of a link: remaining part, rotor inertia, and part of the antecedent."""

    stays: RigidInertia
    rotor: Scalar
    given: tuple[RigidInertia, ...]
    rules: tuple[str, ...]  #: names of the applied rules, for explanations


def _turning(k: RigidInertia, IA: Any, here: Mobility, before: Mobility, T: Transform, gravity: Vec3) -> Share:
    """Divide the parameters of a link on a revolute joint."""
    if here.freedom is LinkRotation.NONE:  # a parallelogram prevents its rotation
        return Share(RigidInertia(), IA, (RigidInertia(M=k.M),), ("parallelogram",))
    stays, on_axis = k.parted()
    rules = ["theorem 1"]
    if here.freedom is LinkRotation.ONE_AXIS:
        rules.append("rule 4")
        stays = replace(stays, XX=0, XY=0, XZ=0, YZ=0)
        if here.arm is not None and parallel(here.axis0, gravity):
            rules.append("rule 5")
            stays = replace(stays, MX=0, MY=0)
    elif here.center is not None and vanishes(*gravity):  # without gravity, about a fixed point
        rules.append("fixed point")
        s = here.center.z
        stays = replace(stays, XZ=k.XZ + s * k.MX, YZ=k.YZ + s * k.MY, MX=0, MY=0)
    if _turns_alone(before, T):
        if not vanishes(IA):
            rules.append("theorem 4")
        stays, IA = replace(stays, ZZ=k.ZZ + IA), 0
    return Share(stays, IA, (on_axis,), tuple(rules))


def _sliding(k: RigidInertia, IA: Any, here: Mobility, before: Mobility, T: Transform, gravity: Vec3) -> Share:
    """Divide the parameters of a link on a prismatic joint."""
    given = [replace(k, MX=0, MY=0, MZ=0, M=0)]
    rules = ["theorem 2"]
    MS, M = k.MS, k.M
    if here.freedom is LinkRotation.NONE:
        rules.append("no rotation")
        MS = Vec3(0, 0, 0)
    elif here.freedom is LinkRotation.ONE_AXIS and vanishes(here.axis.x, here.axis.y):
        rules.append("theorem 3 b")
        given.append(RigidInertia(MX=MS.x, MY=MS.y))
        MS = Vec3(0, 0, 0)
    elif here.freedom is LinkRotation.ONE_AXIS:
        rules.append("theorem 3 a")
        MS = _across(MS, here.axis)
    if not vanishes(IA) and _slides_alone(here, before, T, gravity):
        if before.freedom is LinkRotation.NONE and not before.slides:
            rules.append("theorem 4")
            M, IA = M + IA, 0
        else:  # the mass acts as on the antecedent, except for the motion of its own joint
            rules.append("mass")
            given.append(RigidInertia(M=M))
            M, IA = 0, M + IA
    return Share(RigidInertia(MX=MS.x, MY=MS.y, MZ=MS.z, M=M), IA, tuple(given), tuple(rules))


def _across(MS: Vec3, axis: Vec3) -> Vec3:
    """Return first moments without the component along the only rotation axis, with one zero component (table 3.2)."""
    if not vanishes(axis.z):
        part = MS.z / axis.z
        return Vec3(MS.x - part * axis.x, MS.y - part * axis.y, 0)
    if not vanishes(axis.y):
        return Vec3(MS.x - MS.y / axis.y * axis.x, 0, MS.z)
    return Vec3(0, MS.y, MS.z)


def _slides_alone(here: Mobility, before: Mobility, T: Transform, gravity: Vec3) -> bool:
    """Whether a prismatic joint moves its link perpendicular to all motions of the antecedent and to gravity."""
    z = T.A.z_axis
    if here.freedom is LinkRotation.NONE:
        z0 = here.A0.z_axis
        return vanishes(gravity.dot(z0), *(slide.dot(z) for slide in before.slides))
    if here.freedom is LinkRotation.ONE_AXIS:
        return parallel(z, before.axis) and not before.along and vanishes(gravity.dot(before.axis0))
    return False


def _turns_alone(before: Mobility, T: Transform) -> bool:
    """Whether the antecedent never rotates about the axis of the joint."""
    z = T.A.z_axis
    if before.freedom is LinkRotation.ONE_AXIS:
        return vanishes(z.dot(before.axis))
    return before.freedom is LinkRotation.NONE


def grouped_by_rules(
    robot: Robot, standard: Standard, closed: bool, record: GroupingRecord | None = None
) -> dict[LinkField, Expr]:
    """Return the remaining linear forms in the standard parameters; `closed` also applies the rules of loops."""
    graph = Graph()
    places, gravity = frame_places(robot, graph)
    # in the robot's assembly mode, with expressions of this graph
    stay = assembled_parallelograms(robot) if closed and robot.position else None
    shapes = [
        shape for n, loop in enumerate(loops_of(robot) if closed else ()) if stay is None or n in stay
        if (shape := parallelogram_of(robot, places, loop)) is not None
    ]  # fmt: skip
    motion = motions(robot, places, shapes)
    present = names = {p.place: p.name for p in standard.inertial}
    if closed:  # use all parameters, because a relation may involve a link without any; M15 may be a symbol already
        taken = {*present.values(), *robot.parameters}
        absent = [(j, field) for j in range(1, robot.NL + 1) for field in INERTIA if (j, field) not in present]
        names = {(j, field): unused(f"{field}{j}", taken, "_") for j, field in absent} | present
    left = grouped_in_tree(robot, graph, names, places, gravity, motion, record)
    if record is not None:
        record.names, record.parallelograms = names, len(shapes)
    if not closed and all(place in present for place in left):
        return left
    place_of = {name: place for place, name in names.items()}
    matrix = {
        base: coefficients({place_of[name]: c for name, c in linear_coefficients(form, place_of).items()})
        for base, form in left.items()
    }
    order = [(j, field) for j in range(robot.NL + 1) for field in inertial_fields]
    if closed:
        relations = loop_relations(robot, places, shapes, motion)
        matrix = _with_relations(
            matrix, ({at: graph.zero + c for at, c in r.items()} for r in relations), order, record
        )
    return {base: _form(row, present, graph) for base, row in _minimal(matrix, present, order).items()}


def _with_relations(
    matrix: Mapping[LinkField, Row[LinkField]],
    relations: Iterable[Mapping[LinkField, Expr]],
    order: Sequence[LinkField],
    record: GroupingRecord | None = None,
) -> dict[LinkField, Row[LinkField]]:
    """Return the base parameters for additional relations between the energy functions of standard parameters.

    The matrix turns a relation between standard parameters into one between base parameters; the last one in `order` is
    eliminated, and its content moves to the others.
    """
    over_base: list[Row[LinkField]] = []
    for relation in relations:
        weights = coefficients(relation)
        row: Row[LinkField] = {}
        for base, entries in matrix.items():
            shares = [entries[place] * weight for place, weight in weights.items() if place in entries]
            if shares:
                total = shares[0]
                for share in shares[1:]:
                    total = total + share
                if not total.is_zero:
                    row[base] = total
        over_base.append(row)
    last_first = sorted(matrix, key=order.index, reverse=True)
    left = {base: dict(entries) for base, entries in matrix.items()}
    for gone, row in reduced_rows(over_base, last_first).items():
        entries = matrix[gone]
        del left[gone]
        if record is not None:
            record.relations[gone] = {base: -weight.expression for base, weight in row.items() if base != gone}
        for base, weight in row.items():  # h_gone = - sum weight h_base
            if base != gone:
                _add(left[base], entries, -weight)
    return left


def _minimal(
    matrix: Mapping[LinkField, Row[LinkField]], present: Collection[LinkField], order: Sequence[LinkField]
) -> dict[LinkField, Row[LinkField]]:
    """Return the base parameters if only some standard parameters exist: each is one of these, with others grouped.

    Parameters that keep their place come first, then those closer to the base.
    """
    rows = {
        base: {place: entry for place, entry in entries.items() if place in present} for base, entries in matrix.items()
    }
    rows = {base: row for base, row in rows.items() if row}
    if all(base in present for base in rows):
        return rows
    preference = sorted(present, key=lambda place: (place not in rows, order.index(place)))
    reduced = reduced_rows(rows.values(), preference)
    if len(reduced) == len(rows):  # already minimal, although their links may not have such a parameter
        return rows
    return {place: reduced[place] for place in order if place in reduced}


def _add(row: Row[LinkField], other: Mapping[LinkField, Coefficient], factor: Coefficient) -> None:
    for place, entry in other.items():
        change = entry * factor
        total = row[place] + change if place in row else change
        if total.is_zero:
            row.pop(place, None)
        else:
            row[place] = total


def _form(row: Row[LinkField], names: Mapping[LinkField, str], graph: Graph) -> Expr:
    """Return the sum of coefficient times standard parameter."""
    total = graph.zero
    for place, entry in row.items():
        total = total + entry.expression * graph.symbol(names[place])
    return total
