"""Energy of a robot and the powers that change it (guide 3.6.3.2: the energy model; RNE 6, 7 for springs and bases)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from robosym.algebra.matrix import sum_of
from robosym.coordinates.accepts import accepts
from robosym.coordinates.joint_motion import joint_motion
from robosym.coordinates.roles import Rest
from robosym.dynamics.arguments import prepared
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Body, Tree
from robosym.mechanism.motion import Hinge, Velocities, Weight, velocity_pass, weight_pass
from robosym.model import Layout, Model, Origin, Workspace
from robosym.spatial import Scalar, Vec3

__all__ = ["energy", "energy_function", "energy_functions", "energy_of"]

_INPUTS = ("q", "qd", "tau", "base_velocity", "wrench", "gravity", "parameters")


@accepts("floating")
def energy(
    robot: Robot, structure: str | None = None, passive: str = "driven", rest: Rest | None = None,
    reference: Mapping[str, float] | None = None,
) -> Model:  # fmt: skip
    """Energies EK (kinetic, rotors included), EG (of weight, 0 at the origin of frame 0), ES (of springs), and powers.

    The powers are PM, given by the motors, PF, taken by friction, and PW, given to the environment by the wrenches of
    the links: d(EK + EG + ES)/dt = PM - PF - PW. Of a floating base EG counts the height above its own frame 0 with
    gravity as frame 0 sees it, so that the balance needs the base's own weight work too; `simulate` adds that. The
    arguments are those of `direct_dynamics`.
    """
    robot = prepared(robot, structure, reference=reference)
    return energy_of(robot, structure, passive, rest)


def energy_of(robot: Robot, structure: str | None, passive: str, rest: Rest | None, still: Vec3 | None = None) -> Model:
    """The energy of a prepared robot; `still`: first moments in frame 0 of mass that the links no longer have."""
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
    """Half of w . (J w + MS x v) + v . (M v + w x MS), link by link, and of the rotors."""
    parts: list[Any] = []
    for j, body in _moving(tree):
        w, v = speeds.w[j], speeds.v[j]
        linear, angular = body.inertia.momentum(w, v)
        twice: Any = v.dot(linear) + w.dot(angular)
        rotor: Any = body.IA * body.qd * body.qd
        parts.append((twice + rotor) / 2)
    return sum_of(parts)


def _of_weight(tree: Tree, robot: Robot, work: Workspace) -> Scalar:
    """- g . (M P + A MS), link by link."""
    weight = weight_pass(dict(tree.items()), Vec3(*map(work.value, robot.gravity)), work.note)
    return sum_of(body.inertia.M * weight.u[j] - weight.g[j].dot(body.inertia.MS) for j, body in _moving(tree))


def _of_wrenches(tree: Tree, speeds: Velocities) -> Scalar:
    return sum_of(speeds.v[j].dot(body.force) + speeds.w[j].dot(body.moment) for j, body in _moving(tree))


def energy_functions(
    hinge: Mapping[int, Hinge], velocities: Velocities, weight: Weight, columns: Sequence[tuple[int, str]]
) -> list[Any]:
    """What each parameter (link, field) is multiplied by in the kinetic plus the potential energy."""
    w, v, g, u = velocities.w, velocities.v, weight.g, weight.u
    rates = {j: at.qd for j, at in hinge.items()}  # a platform moves, and has no joint
    return [energy_function(field, w[j], v[j], g[j], u[j], rates.get(j)) for j, field in columns]


def energy_function(field: str, w: Vec3, v: Vec3, g: Vec3, u: Any, qd: Any) -> Any:
    """Of one parameter, from the motion of its frame, gravity there, potential at its origin and rate of its joint."""
    match field:
        case "XX" | "YY" | "ZZ":
            component = {"XX": w.x, "YY": w.y, "ZZ": w.z}[field]
            return _half(component * component)
        case "XY":
            return w.x * w.y
        case "XZ":
            return w.x * w.z
        case "YZ":
            return w.y * w.z
        case "MX":
            return w.z * v.y - w.y * v.z - g.x
        case "MY":
            return w.x * v.z - w.z * v.x - g.y
        case "MZ":
            return w.y * v.x - w.x * v.y - g.z
        case "M":
            return _half(v.dot(v)) + u
        case "IA":
            return _half(qd * qd)
    raise AssertionError(field)


def _half(value: Any) -> Any:
    return value / 2
