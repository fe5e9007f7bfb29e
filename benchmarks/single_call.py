"""Compare a call from Python for one state of the RX90 with Pinocchio's `pin.rnea`."""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
from pinocchio_cpp import Values, joints, offline_groups, rx90_with_numbers
from table import Row, print_table

import robosym as rs
from robosym.algebra import evaluate

CALLS, REPETITIONS = 2000, 41


def pinocchio_model(robot: rs.Robot, values: Values) -> Any:
    """Return the same arm, with the same values, as a Pinocchio model."""
    model = pin.Model()
    model.gravity.linear = np.array([evaluate([g], values)[0] for g in robot.gravity])
    parent = 0
    armatures = []
    for j, (turn, origin, mass, com, inertia, armature) in enumerate(joints(robot, values), 1):
        parent = model.addJoint(parent, pin.JointModelRZ(), pin.SE3(turn, origin), f"joint{j}")
        model.appendBodyToJoint(parent, pin.Inertia(mass, com, inertia), pin.SE3.Identity())
        armatures.append(armature)
    model.armature = np.array(armatures)
    return model


def main() -> None:
    robot, values = rx90_with_numbers()
    symbolic = rs.inverse_dynamics(robot)
    f = symbolic.compile()
    offline = offline_groups(symbolic, values)
    gravity, parameters = offline["gravity"], offline["parameters"]
    bound = f.with_values(**offline)
    numeric = rs.inverse_dynamics(robot.with_values(values)).compile()
    model = pinocchio_model(robot, values)
    data = model.createData()
    rng = np.random.default_rng(1)
    q, qd, qdd = (rng.uniform(-3, 3, 6) for _ in range(3))
    by_name = {name: values[name] for name in symbolic.inputs["parameters"]}

    reference: Callable[[], Any] = lambda: pin.rnea(model, data, q, qd, qdd)  # noqa: E731
    ways: dict[str, Callable[[], Any]] = {
        "parameters an array": lambda: f(q=q, qd=qd, qdd=qdd, gravity=gravity, parameters=parameters),
        "parameters a dict in every call": lambda: f(q=q, qd=qd, qdd=qdd, gravity=gravity, parameters=by_name),
        "parameters fixed by with_values": lambda: bound(q=q, qd=qd, qdd=qdd),
        "parameters fixed, by position": lambda: bound(q, qd, qdd),
        "numbers in the model": lambda: numeric(q=q, qd=qd, qdd=qdd),
    }
    for call in ways.values():
        np.testing.assert_allclose(call(), reference(), rtol=1e-11, atol=1e-11)

    def microseconds(call: Callable[[], Any]) -> float:
        return timeit.timeit(call, number=CALLS) / CALLS * 1e6

    rows = []
    for name, call in ways.items():
        pairs = [(microseconds(reference), microseconds(call)) for _ in range(REPETITIONS)]
        them, us = (statistics.median(times) for times in zip(*pairs, strict=True))
        ratio = statistics.median(a / b for a, b in pairs)
        rows.append(
            Row(f"pin.rnea over robosym, {name} ({them:.2f} µs over {us:.2f} µs)", ratio, 1, at_least=True, key=name)
        )
    print_table("One call on one state of the RX90", rows)


if __name__ == "__main__":
    main()
