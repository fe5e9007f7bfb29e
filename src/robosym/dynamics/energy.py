"""Energy of a robot and the powers that change it (guide 3.6.3.2; RNE 6, 7 for springs and moving bases)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from robosym.algebra.matrix import sum_of
from robosym.coordinates.accepts import ALL, accepts
from robosym.coordinates.joint_motion import joint_motion
from robosym.coordinates.roles import Rest
from robosym.dynamics.arguments import prepared
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Body, Tree
from robosym.mechanism.motion import Velocities, velocity_pass, weight_pass
from robosym.model import Layout, Model, Origin, Workspace
from robosym.spatial import Scalar, Vec3

__all__ = ["energy", "energy_of"]

_INPUTS = ("q", "qd", "tau", "base_velocity", "wrench", "gravity", "parameters")


@accepts("floating", contacts=ALL)
def energy(
    robot: Robot, structure: Literal["tree"] | None = None, passive: Literal["driven", "free"] = "driven",
    rest: Rest | None = None, reference: Mapping[str, float] | None = None,
) -> Model:  # fmt: skip
    """Return the energies EK (kinetic), EG (gravitational) and ES (springs), and the powers that change them.

    EK includes the rotors; EG is 0 at the origin of frame 0. The powers are PM (delivered by the motors), PF
    (dissipated by friction) and PW (delivered to the environment by the wrenches of the links): d(EK + EG + ES)/dt =
    PM - PF - PW. For a floating base, EG is the potential relative to frame 0, with gravity in frame 0, so that the
    balance also needs the work of gravity on the moving base, which `simulate` adds.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    passive : {"driven", "free"}, optional
        Treatment of joints without a motor: `driven` (their torques are computed) or `free` (they move freely).
    rest : dict, optional
        Rest position of the spring of an elastic joint, by joint number or name.
    reference : dict of str to float, optional
        Joint positions that select the assembly mode of a closed robot. Default: the position in the description.

    Returns
    -------
    Model
        Model with the energies (J) and powers (W).

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.energy(rs.load("planar2r"))
    >>> list(model.outputs)
    ['energy', 'power']
    """
    robot = prepared(robot, structure, reference=reference)
    return energy_of(robot, structure, passive, rest)


def energy_of(robot: Robot, structure: str | None, passive: str, rest: Rest | None, still: Vec3 | None = None) -> Model:
    """Return the energy of a prepared robot; `still`: first moments in frame 0 of mass removed from the links."""
    motion = joint_motion(robot, _INPUTS, structure, passive=passive, rest=rest)
    with motion.work as work:
        motion.check_springs()
        tree, roles = motion.tree({}), motion.roles
        zero, speed = work.graph.zero, motion.motor_rates()
        rubbing = [friction * motion.rate(j) for j, friction in motion.cut_friction().items()]
        efforts = {j: roles.effort(j, work, motion.rest) for j in motion.load_shares(tree)}
        rubbing += [(efforts[j] - x) * motion.rate(j) for j, x in motion.unloaded(tree, efforts).items()]
        springs = [j for j in roles.springs if j not in motion.motors]
        stretch = {j: roles.stretch(j, work, motion.rest, motion.position(j)) for j in springs}
        speeds = velocity_pass(dict(tree.items()), tree.base, work.note)
        work.define("EK", zero + _kinetic(tree, speeds))
        unmoved = Vec3(*map(work.value, robot.gravity)).dot(Vec3(*work.graph.copy(still))) if still else 0
        work.define("EG", zero + _of_weight(tree, robot, work) - unmoved)
        work.define("ES", sum((work.value(robot.joint(j).k) * stretch[j] * stretch[j] / 2 for j in springs), zero))
        work.define("PM", sum((work.value(robot.joint(j).GAM) * speed[j] for j in motion.motors), zero))
        work.define("PF", sum([*(body.friction * body.qd for _, body in tree.items()), *rubbing], zero))
        work.define("PW", zero + _of_wrenches(tree, speeds))
        outputs: dict[str, Layout] = {"energy": ("EK", "EG", "ES"), "power": ("PM", "PF", "PW")}
        made = Origin(energy_of, robot, {"structure": structure, "passive": passive, "rest": rest})
        return work.model("ene", "Energy, and the powers that change it", outputs, made=made)


def _moving(tree: Tree) -> list[tuple[int, Body]]:
    base = tree.bodies[0]
    return [*([] if base is None else [(0, base)]), *tree.items()]


def _kinetic(tree: Tree, speeds: Velocities) -> Any:
    """Return half of w . (J w + MS x v) + v . (M v + w x MS), summed over the links, and the energy of the rotors."""
    parts: list[Any] = []
    for j, body in _moving(tree):
        w, v = speeds.w[j], speeds.v[j]
        linear, angular = body.inertia.momentum(w, v)
        twice: Any = v.dot(linear) + w.dot(angular)
        rotor: Any = body.IA * body.qd * body.qd
        parts.append((twice + rotor) / 2)
    return sum_of(parts)


def _of_weight(tree: Tree, robot: Robot, work: Workspace) -> Scalar:
    """Return - g . (M P + A MS), summed over the links."""
    weight = weight_pass(dict(tree.items()), Vec3(*map(work.value, robot.gravity)), work.note)
    return sum_of(body.inertia.M * weight.u[j] - weight.g[j].dot(body.inertia.MS) for j, body in _moving(tree))


def _of_wrenches(tree: Tree, speeds: Velocities) -> Scalar:
    return sum_of(speeds.v[j].dot(body.force) + speeds.w[j].dot(body.moment) for j, body in _moving(tree))
