"""Static friction: a joint slides in a direction, or sticks while the effort on it is less than its friction.

The direction s of each joint (-1, 0, 1) is part of the state and changes at the end of a step only. Sliding joints
are subject to the friction FS s; sticking joints keep zero velocity, and the others move as if they were rigid. A
joint sticks when its velocity has reversed against s, and breaks away when the effort needed to hold it exceeds FS.
The impulse that stops a joint acts along its own axis: the momentum along the other axes is preserved.
"""

from __future__ import annotations

from collections.abc import Sequence

from robosym.algebra import Expr
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import sum_of
from robosym.dynamics.bias_torques import bias_torques
from robosym.dynamics.inertia_matrix import inertia_matrix
from robosym.errors import InputError, Pass
from robosym.mechanism import Robot
from robosym.model import Model, compose, flat
from robosym.spatial import sign

__all__ = ["above_zero", "may_stick", "sticking_acceleration"]


def above_zero(value: Expr) -> Expr:
    """Return 1 if a value is positive, else 0, as straight-line code."""
    side: Expr = sign(value)
    return (side + value.graph.function("abs", side)) / 2


def _among(moving: Sequence[Expr], A: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    """Return the matrix with the rows and columns of joints that do not move (0 in `moving`) set to the identity."""
    return [
        [a * b * entry + (1 - a if i == k else 0) for k, (b, entry) in enumerate(zip(moving, row, strict=True))]
        for i, (a, row) in enumerate(zip(moving, A, strict=True))
    ]


def may_stick(robot: Robot) -> bool:
    """Return whether joints can stick independently: joint coordinates of a tree without springs on a fixed base."""
    return robot.coordinates == "joints" and robot.base.kind == "fixed" and not any(joint.eta for joint in robot.joints)


def sticking_acceleration(robot: Robot) -> Model:
    """Return the accelerations, and the velocities and directions at the end of a step."""
    joints = robot.tree_joints
    if not may_stick(robot):
        raise InputError(
            "friction: 'stick' requires a tree without springs on a fixed base, in joint coordinates, found "
            f"{robot.name}",
            hint=("use ", Pass("friction", "smooth")),
        )
    for j in joints:
        if robot.joint(j).friction.smooth:
            raise InputError(
                f"friction: 'stick' requires discontinuous friction, found smooth friction of joint {j} in the "
                "description"
            )
    slippery = robot.with_links([{"FS": 0}] * robot.NL)
    parts = compose(inertia_matrix(slippery), bias_torques(slippery))
    graph = parts.graph
    names = {"sliding": tuple(f"SL{j}" for j in joints), "tau": tuple(f"GAM{j}" for j in joints)}
    s, tau = ([graph.symbol(name, True) for name in names[group]] for group in ("sliding", "tau"))
    qd = [graph.symbol(name) for name in parts.inputs["qd"]]
    if len(qd) != len(joints):
        raise InputError(f"{robot.name}: expected an independent velocity of each joint")
    A = [[parts.definitions[name] for name in row] for row in parts.outputs["A"]]
    H = [parts.definitions[name] for name in flat(parts.outputs["H"])]
    FS = graph.copy([robot.link(j).FS for j in joints])
    slides = [direction * direction for direction in s]
    free = [effort - bias for effort, bias in zip(tau, H, strict=True)]
    right = [a * (effort - dry * d) for a, effort, dry, d in zip(slides, free, FS, s, strict=True)]
    qdd = solve_symmetric(_among(slides, A), right)
    moves = [a * above_zero(rate * d) for a, rate, d in zip(slides, qd, s, strict=True)]
    momentum = [
        a * sum_of(entry * rate for entry, rate in zip(row, qd, strict=True)) for a, row in zip(moves, A, strict=True)
    ]
    groups: dict[str, list[Expr]] = {
        "qdd": qdd, "qd_after": solve_symmetric(_among(moves, A), momentum), "sliding_after": []
    }  # fmt: skip
    for a, goes_on, d, effort, dry, row in zip(slides, moves, s, free, FS, A, strict=True):
        # effort that friction must provide
        required = effort - sum_of(entry * x for entry, x in zip(row, qdd, strict=True))
        away = above_zero(graph.function("abs", required) - dry) * sign(required)
        groups["sliding_after"].append(goes_on * d + (1 - a) * away)
    definitions = dict(parts.definitions)
    outputs = {}
    for group, values in groups.items():
        outputs[group] = tuple(f"{group.upper()}{j}" for j in joints)
        definitions |= {name: graph.zero + value for name, value in zip(outputs[group], values, strict=True)}
    inputs = {g: n for g, n in parts.inputs.items() if g != "parameters"} | names
    inputs |= {g: n for g, n in parts.inputs.items() if g == "parameters"}
    return Model(robot.name, "sti", "Accelerations with static friction", inputs, outputs, definitions, graph, robot)
