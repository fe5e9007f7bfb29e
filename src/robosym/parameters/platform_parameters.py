"""Base inertial parameters of a parallel robot: legs by the rules of trees, then the platform (GS 39-66).

A point mass at the center of a spherical joint can be assigned to the leg or to the platform. One parameter of the last
link of each such leg moves to the platform this way: its mass after a prismatic joint (GS 56-66), its first moment
along x after a revolute joint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from robosym.algebra import Expr, Graph, substitute
from robosym.algebra.generic import vanishes
from robosym.coordinates.leg_chain import axes_at_end, ends_in_ball
from robosym.coordinates.reference import numeric_reference
from robosym.mechanism import INERTIA, Frame, Robot
from robosym.mechanism.motion import frame_transform
from robosym.parameters.base_set import symbolic_base
from robosym.parameters.closed_parameters import Grouped, as_entries, by_closed, standard_of
from robosym.parameters.numeric_parameters import grouped_by_rank
from robosym.parameters.standard import LinkField, named
from robosym.spatial import Transform
from robosym.spatial.inertia import RigidInertia, point_mass

__all__ = ["last_link_mass", "of_symmetrical_links", "on_free_balls", "platform_base", "tree_without_balls"]

_LETTER = "P"  #: replaces the number of the platform in names


def platform_base(robot: Robot, method: str) -> Grouped:
    """Return the base parameters of a robot with a platform, whose names end in P.

    Symbolic rules apply for any geometry if all legs end in a spherical joint on a platform with six degrees of
    freedom. Otherwise, and with `method="numeric"`, the rank of the identification model on random motions in the
    mode of the reference position decides; without a reference position, the parameters are those of `to_closed`.
    """
    found = _by_rules(robot) if method == "symbolic" else None
    if found is None and numeric_reference(robot) is not None:
        found = grouped_by_rank(robot, _LETTER)
    return found or by_closed(robot, {robot.module.end: _LETTER}, method)


def _by_rules(robot: Robot) -> Grouped | None:
    """Return the result of the rules if all legs end in a spherical joint on a free platform; else None."""
    if not on_free_balls(robot):
        return None
    graph = Graph()
    core, numbers_of = tree_without_balls(robot)
    bodies = [*(j for numbers in robot.legs for j in numbers[:-1]), robot.module.end]
    standard = standard_of(robot, bodies, closed=False)
    legs = symbolic_base(core, False)
    own_names = {p.name: standard.symbol(graph, (numbers_of[p.link], p.field)) for p in legs.standard.inertial}
    forms = substitute(legs.grouping.values(), graph, own_names)
    changes: dict[str, Expr] = {}
    platform = {name: standard.symbol(graph, (robot.module.end, name)) for name in INERTIA}
    for leg in range(len(robot.legs)):
        given = last_link_mass(robot, leg, graph, lambda j: standard.inertia(graph, j))
        if given is None:
            return None
        last, moved, there = given
        gains = as_entries(graph, there)
        for name, share in as_entries(graph, moved).items():
            own = standard.symbol(graph, (last, name))
            if own.name is not None:
                changes[own.name] = own - share
            platform[name] = platform[name] + gains[name]
    left = {
        (numbers_of[link], name): value
        for (link, name), value in zip(legs.places.values(), substitute(forms, graph, changes), strict=True)
        if not value.is_zero
    }
    left |= {(robot.module.end, name): value for name, value in platform.items()}
    grouping, places = named(left, standard, robot, {robot.module.end: _LETTER})
    return Grouped(standard, grouping, places)


def on_free_balls(robot: Robot) -> bool:
    """Whether all legs end in a spherical joint, on a platform with six degrees of freedom."""
    reference = numeric_reference(robot)
    if len(robot.motors) < 6 or (reference is not None and reference.freedom < 6):
        return False
    return all(ends_in_ball(robot, leg) and len(robot.legs[leg]) == 6 for leg in range(len(robot.legs)))


def last_link_mass(
    robot: Robot, leg: int, graph: Graph, inertia: Callable[[int], RigidInertia]
) -> tuple[int, RigidInertia, RigidInertia] | None:
    """Return the last link of a leg before its spherical joint, and the point mass that moves to the platform.

    The point mass is expressed in the frame of the link and in that of the platform. Return None if the link cannot
    compensate for it.
    """
    numbers = robot.legs[leg]
    last = numbers[-4]
    own = as_entries(graph, inertia(last))
    center = _point(robot.frame(numbers[-3]), graph)
    slides = robot.frame(last).joint_type.only_slides
    if not slides and center[0].is_zero:
        return None
    mass = own["M"] if slides else own["MX"] / center[0]
    share = point_mass(mass, *center)
    if not slides:  # exactly zero
        share = replace(share, MX=own["MX"])
    for name, taken in as_entries(graph, share).items():
        if not taken.is_zero and own[name].is_zero:
            return None
    return last, share, point_mass(mass, *_point(robot.places[leg], graph))


def tree_without_balls(robot: Robot) -> tuple[Robot, dict[int, int]]:
    """Return the tree of the legs up to their spherical joints, and the numbers of its frames in the robot."""
    kept = [j for numbers in robot.legs for j in numbers[:-3]]
    new = {0: 0} | {j: k for k, j in enumerate(kept, 1)}
    frames = tuple(replace(robot.frame(j), ant=new[robot.frame(j).ant]) for j in kept)
    links, joints = tuple(robot.link(j) for j in kept), tuple(robot.joint(j) for j in kept)
    core = replace(
        robot, frames=frames, links=links, joints=joints, frame_names={}, position={}, picture={}, modules=()
    )
    return core, {k: j for j, k in new.items()}


def _point(frame: Frame, graph: Graph) -> tuple[Expr, Expr, Expr]:
    """Return the origin of a frame in its antecedent, at zero translation along its own axis."""
    x, y, z = (graph.zero + e for e in _transform(frame, graph).P)
    return x, y, z


def _transform(frame: Frame, graph: Graph) -> Transform:
    return frame_transform(frame, lambda entry: graph.copy([entry])[0], 0)


def of_symmetrical_links(robot: Robot, place: LinkField) -> bool:
    """Whether a parameter remains if the links of the legs are symmetrical; those of the platform always do."""
    link, field = place
    if link == robot.module.end or field not in ("XY", "XZ", "YZ", "MX", "MY", "MZ"):
        return True
    if field in ("XY", "XZ", "YZ"):
        return False
    leg = next(k for k, numbers in enumerate(robot.legs) if link in numbers)
    numbers = robot.legs[leg]
    if link == numbers[-1 - axes_at_end(robot, leg)]:
        return True
    frame = robot.frame(numbers[numbers.index(link) + 1])
    graph = Graph()
    T = _transform(frame, graph)
    towards = T.A.z_axis if frame.joint_type.slides else T.P
    return not vanishes(graph.zero + {"MX": towards.x, "MY": towards.y, "MZ": towards.z}[field])
