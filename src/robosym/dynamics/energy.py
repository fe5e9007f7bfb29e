"""Energy of a robot and the powers that change it (guide 3.6.3.2: the energy model; RNE 6, 7 for springs and bases)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robosym.algebra.matrix import dot, sum_of
from robosym.coordinates.accepts import accepts
from robosym.dynamics.arguments import prepared
from robosym.dynamics.roles import Rest, resting, roles_of
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Body, Tree, tree_of
from robosym.mechanism.motion import Velocities, velocity_pass
from robosym.model import Layout, Model, Origin, Workspace
from robosym.spatial import Vec3

__all__ = ["energy", "energy_of"]

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
    return energy_of(robot, structure, passive, resting(robot, rest))


def energy_of(robot: Robot, structure: str | None, passive: str, rest: Rest, still: Vec3 | None = None) -> Model:
    """The energy of a prepared robot; `still`: first moments in frame 0 of mass that the links no longer have."""
    roles = roles_of(robot, structure, passive, rest)
    base_free = roles.base_free
    if robot.constrained and structure is None:
        from robosym.dynamics.closed import ClosedMotion

        closed = ClosedMotion(robot, _INPUTS)
        work, motors = closed.work, closed.motors
        rates = closed.rates()
        tree = closed.tree().with_rates(rates)
        turns = dict(zip(motors, closed.transmission(), strict=True))
        given = [work.value(robot.joint(j).QP) for j in closed.active]
        speed: dict[int, Any] = {j: dot(row, given) for j, row in turns.items()}
        closed.check_springs()
        rubbing = closed.cut_friction(rates)
        more_friction = [rubbing[j] * rate for j, rate in closed.cut_rates(rates).items()]
        loads = closed.loads(tree)
        torques = {j: work.value(robot.joint(j).GAM) for j in loads}
        more_friction += [(torques[j] - x) * speed[j] for j, x in closed.unloaded(tree, torques).items()]
        places = {j: closed.position(j, rest) for j in roles.springs}
    else:
        work, motors = Workspace(robot, _INPUTS, {"tau": roles.motors}), roles.motors
        tree = tree_of(robot, work.value, work.note, base_free)
        speed = {j: tree.body(j).qd for j in motors}
        loaded = {j: roles.effort(j, work, rest) for j, b in tree.items() if b.more is not None}
        more_friction = [
            (effort - tree.body(j).friction - tree.body(j).without_friction(effort)) * tree.body(j).qd
            for j, effort in loaded.items()
        ]
        places = {}
    with work:
        zero = work.graph.zero
        springs = [j for j in roles.springs if j not in motors]
        stretch = {j: roles.stretch(j, work, rest, places.get(j)) for j in springs}
        speeds = velocity_pass(dict(tree.items()), tree.base, work.note)
        work.define("EK", zero + _kinetic(tree, speeds))
        unmoved = Vec3(*map(work.value, robot.gravity)).dot(Vec3(*work.graph.copy(still))) if still else 0
        work.define("EG", zero + _of_weight(tree, robot, work) - unmoved)
        work.define("ES", sum((work.value(robot.joint(j).k) * stretch[j] * stretch[j] / 2 for j in springs), zero))
        work.define("PM", sum((work.value(robot.joint(j).GAM) * speed[j] for j in motors), zero))
        work.define("PF", sum([*(body.friction * body.qd for _, body in tree.items()), *more_friction], zero))
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


def _of_weight(tree: Tree, robot: Robot, work: Workspace) -> Any:
    """- g . (M P + A MS), link by link."""
    from robosym.dynamics.energy_functions import weight_pass  # NumPy comes with it; most models need none

    weight = weight_pass(dict(tree.items()), Vec3(*map(work.value, robot.gravity)), work.note)
    return sum_of(body.inertia.M * weight.u[j] - weight.g[j].dot(body.inertia.MS) for j, body in _moving(tree))


def _of_wrenches(tree: Tree, speeds: Velocities) -> Any:
    return sum_of(speeds.v[j].dot(body.force) + speeds.w[j].dot(body.moment) for j, body in _moving(tree))
