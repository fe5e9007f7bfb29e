"""Velocities and accelerations of the links, and J-dot q-dot, in customized form (guide 2.4.7, 2.5.1, 5.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from robosym.algebra.count import count
from robosym.coordinates.accepts import ALL, accepts
from robosym.mechanism import Robot, with_given_motion
from robosym.mechanism.motion import (
    AT_REST,
    Accelerations,
    BaseMotion,
    Hinge,
    Velocities,
    acceleration_pass,
    base_of,
    hinges,
    velocity_pass,
)
from robosym.mechanism.path import check_link, path
from robosym.model import Layout, Model, Note, Workspace, flat
from robosym.spatial import Vec3

__all__ = ["accelerations", "jdot_qdot", "velocities"]


@accepts("floating", motors=True, contacts=ALL)
def velocities(robot: Robot) -> Model:
    """Return the velocities of all frames: of the origin (V1j V2j V3j) and angular (W1j W2j W3j), in frame j.

    Parameters
    ----------
    robot
        Robot with any structure in joint coordinates.

    Returns
    -------
    Model
        Groups "V" (m/s) and "W" (rad/s), one row of three entries per frame, in the axes of that frame.

    Raises
    ------
    InputError
        If a frame does not exist, or the robot is not supported.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.velocities(rs.load("planar2r"))
    >>> list(model.outputs)
    ['V', 'W']
    """
    with Workspace(robot, ("q", "qd", "base_velocity", "parameters")) as work:
        hinge = hinges(robot, range(1, robot.NL + 1), work.value, work.note, accelerated=False)
        found = velocity_pass(hinge, base_of(robot, work.value), work.note)
        outputs = _outputs(work, {"V": found.v, "W": found.w})
        return work.model("vel", "Velocities of the links", outputs)


@accepts("floating", motors=True, contacts=ALL)
def accelerations(robot: Robot) -> Model:
    """Return the accelerations of all frames: of the origin (VP1j ..) and angular (WP1j ..), in frame j.

    The motion of a mobile or floating base is given: base_velocity and base_acceleration, angular, then linear.

    Parameters
    ----------
    robot
        Robot with any structure in joint coordinates.

    Returns
    -------
    Model
        Groups "VP" (m/s^2) and "WP" (rad/s^2), one row of three entries per frame, in the axes of that frame.

    Raises
    ------
    InputError
        If a frame does not exist, or the robot is not supported.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.accelerations(rs.load("planar2r"))
    >>> list(model.outputs)
    ['VP', 'WP']
    """
    robot = with_given_motion(robot)
    with Workspace(robot, ("q", "qd", "qdd", "base_velocity", "base_acceleration", "parameters")) as work:
        hinge = hinges(robot, range(1, robot.NL + 1), work.value, work.note)
        found = _cheapest(work, hinge, base_of(robot, work.value), list(hinge), work.note)
        outputs = _outputs(work, {"VP": found.vp, "WP": found.wp})
        return work.model("acc", "Accelerations of the links", outputs)


@accepts("floating", contacts=ALL)
def jdot_qdot(robot: Robot, link: int | str | None = None) -> Model:
    """Return the acceleration of a link at zero joint accelerations: groups "VPJ" and "WPJ", in the link's frame.

    A base that moves has its velocity and no acceleration.

    Parameters
    ----------
    robot
        Robot with any structure in joint coordinates.
    link
        Number or name of the link. Default: all links, one row per link.

    Returns
    -------
    Model
        Groups "VPJ" (m/s^2) and "WPJ" (rad/s^2), three entries per link.

    Raises
    ------
    InputError
        If a frame does not exist, or the robot is not supported.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.jdot_qdot(rs.load("planar2r"))
    >>> list(model.outputs)
    ['VPJ', 'WPJ']
    """
    frames = list(range(1, robot.NL + 1))
    if link is not None:
        link = check_link(robot, link)
        frames = path(robot, 0, link)[1]
    with Workspace(robot, ("q", "qd", "base_velocity", "parameters")) as work:
        rename = {"VP": "VPJ", "WP": "WPJ"}

        def note(prefix: str, j: int, value: Any) -> Any:
            return work.note(rename.get(prefix, prefix), j, value)

        hinge = hinges(robot, frames, work.value, note, accelerated=False)
        base = replace(base_of(robot, work.value), wp=AT_REST.wp, vp=AT_REST.vp)
        found = _cheapest(work, hinge, base, frames if link is None else frames[-1:], note)
        wanted = list(hinge) if link is None else [link]
        outputs = _outputs(
            work, {name: {j: a[j] for j in wanted} for name, a in (("VPJ", found.vp), ("WPJ", found.wp))}
        )
        if link is not None:
            outputs = {name: tuple(flat(layout)) for name, layout in outputs.items()}
        return work.model("jpqp", "J-dot q-dot", outputs)


def _cheapest(
    work: Workspace, hinge: Mapping[int, Hinge], base: BaseMotion, wanted: Sequence[int], note: Note
) -> Accelerations:
    """Return the accelerations by the form of equation 2.32 with the fewest operations for this robot."""
    turning: Velocities = velocity_pass(hinge, base, note, linear=False)

    def cost(split: bool) -> int:
        found = acceleration_pass(hinge, base, turning, split=split)
        return count([work.graph.one * c for j in wanted for v in (found.vp[j], found.wp[j]) for c in v]).total

    return acceleration_pass(hinge, base, turning, note, split=min((False, True), key=cost))


def _outputs(work: Workspace, groups: Mapping[str, Mapping[int, Vec3]]) -> dict[str, Layout]:
    """Return rows X1j X2j X3j of each group, without frame 0."""
    outputs: dict[str, Layout] = {}
    for prefix, vectors in groups.items():
        rows = []
        for j, vector in vectors.items():
            if j:
                rows.append(tuple(f"{prefix}{c}{j}" for c in (1, 2, 3)))
                for name, value in zip(rows[-1], vector, strict=True):
                    work.define(name, work.graph.zero + value)
        outputs[prefix] = tuple(rows)
    return outputs
