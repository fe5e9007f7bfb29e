"""Momentum of whole robots against Pinocchio's centroidal map, and base velocities that follow from it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.floating import closed, coupled, quadruped, tree
from evaluation import agree
from oracles.reduced import Reduced

Array = np.ndarray
TURNED = np.array([0.8, -0.3, 0.5, 0.1]) / np.linalg.norm([0.8, -0.3, 0.5, 0.1])  # w, x, y, z


def fixed(_: str) -> rs.Robot:
    return tree("floating").edit({"base.type": "fixed"})


MAKERS = {"tree": tree, "coupled": coupled, "closed": closed, "fixed": fixed, "quadruped": lambda _: quadruped()}
ROBOTS = ["tree mobile", "tree floating", "coupled floating", "closed floating", "fixed fixed", "quadruped floating"]


def state_of(robot: rs.Robot) -> Reduced:
    rng = np.random.default_rng(8)
    q = rng.uniform(-1, 1, len(robot.tree_joints))
    if robot.loops:
        q = np.array(rs.loop_geometry(robot).solve([0.2, 1.3, 0.1])[0])
    elif robot.couplings:
        q[2] = 2 * q[1] + 0.1
    return Reduced(robot, q, rng)


def centroidal(s: Reduced, R: Array) -> tuple[Array, Array, Array]:
    """Return momentum, matrix and center of mass of Pinocchio with a base of orientation R."""
    q, data = s.pin_q.copy(), s.model.createData()
    if s.moving:
        q[3:7] = pin.Quaternion(R).coeffs()
    A = pin.computeCentroidalMap(s.model, data, q)[[3, 4, 5, 0, 1, 2]]
    base = A[:, [3, 4, 5, 0, 1, 2]] if s.moving else A[:, :0]
    A = np.hstack([base, A[:, s.order] @ s.G])
    rates = np.concatenate([s.base_velocity if s.moving else [], s.y])
    return A @ rates, A, R.T @ pin.centerOfMass(s.model, data, q)


@pytest.mark.parametrize("axes", ["base", "world"])
@pytest.mark.parametrize("name", ROBOTS)
def test_momentum_agrees_with_centroidal_map(name: str, axes: Any) -> None:
    maker, kind = name.split()
    robot = MAKERS[maker](kind)
    s = state_of(robot)
    R = pin.Quaternion(*TURNED).matrix() if axes == "world" and s.moving else np.eye(3)
    given = robot.with_inputs("orientation") if axes == "world" and s.moving else robot
    inputs = {"q": s.q, "qd": s.y, "base_velocity": s.base_velocity, "base_orientation": TURNED}
    model = rs.centroidal_momentum(given, axes=axes)
    found = model.compile()(**{group: inputs[group] for group in model.inputs})
    for one, other in zip(found, centroidal(s, R), strict=True):
        agree(one, other)
    if s.floating:
        model = rs.base_velocity(given, axes=axes)
        inputs["centroidal_momentum"] = found.momentum
        agree(model.compile()(**{group: inputs[group] for group in model.inputs}), s.base_velocity)


def test_rejects_invalid_axes_and_bases() -> None:
    robot = tree("floating")
    with pytest.raises(rs.InputError, match=r"floating base, which rotates: pass robot.with_inputs\('orientation'\)"):
        rs.centroidal_momentum(robot, axes="world")
    with pytest.raises(rs.InputError, match="axes: expected 'base' or 'world', found 'body'"):
        rs.base_velocity(robot, axes="body")  # type: ignore[arg-type]
    with pytest.raises(rs.InputError, match="has a mobile base: base_velocity supports a floating base"):
        rs.base_velocity(tree("mobile"))
    light = rs.robot("light", frames=[{"theta": "t1"}], links=[{"XX": 1, "YY": 1, "ZZ": 1}])
    with pytest.raises(rs.InputError, match="light: expected links with a mass, found none"):
        rs.centroidal_momentum(light)
