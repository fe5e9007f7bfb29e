"""Models of platforms as functions of coordinates of the pose, against geometry and motions computed here."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.cases.toolchains import run, tool

import robosym as rs
from robosym.coordinates.pose_inputs import PoseInputs
from robosym.errors import InputError

Array = NDArray[np.float64]
NAMES = ("x", "y", "z", "roll", "pitch", "yaw")


def three_legs(kind: str, more: str) -> rs.Robot:
    """Return three legs at the corners of a triangle; {axis} is horizontal and normal to the plane of a leg."""
    platform = "{M: 1, com: [0.02, 0, 0.1], inertia: [0.1, 0, 0, 0.1, 0, 0.2]}"
    text = f"name: three\ngravity: [0.3, 0, -9.81]\nplatform: {platform}\nlegs:\n"
    for angle in 2 * np.pi * np.arange(3) / 3 + 0.1:
        c, s = float(np.cos(angle)), float(np.sin(angle))
        keys = more.format(axis=[-s, c, 0])
        text += (
            f"  - {{type: {kind}, base: [{0.3 * c}, {0.3 * s}, 0], platform: [{0.15 * c}, {0.15 * s}, 0], {keys}}}\n"
        )
    return rs.loads(text + "position: {pose: [0, 0, 0.45]}\n", format="yaml")


FIVE_BAR = """
name: own
gravity: [0.2, -9.81, 0]
platform: {M: 0.3, com: [0.01, 0, 0], inertia: [0, 0, 0, 0, 0, 0.002]}
legs:
  - frames: [{theta: a1}, {mu: 0, d: 0.25, theta: a2}]
    place: {d: -0.3}
    links: {1: {M: 1, com: [0.1, 0, 0], inertia: [0, 0, 0, 0, 0, 0.01]}}
  - frames: [{d: 0.2, theta: b1}, {mu: 0, d: 0.28, theta: b2}, {mu: 0, d: 0.33, theta: b3}]
    place: {}
    links: {1: {M: 1, com: [0.1, 0, 0]}, 2: {M: 0.4}}
position: {a1: 2.2, a2: -1.5, b1: 0.9, b2: 1.5, b3: -1.3}
"""


@cache
def robot(name: str) -> rs.Robot:
    own: dict[str, Callable[[], rs.Robot]] = {
        "five-bar": lambda: rs.loads(FIVE_BAR, format="yaml"), "3-RPS": lambda: three_legs("RPS", "axis: {axis}"),
        "3-PRS": lambda: three_legs("PRS", "axis: [0, 0, 1], lengths: [0.5]"),
    }  # fmt: skip
    if name in own:
        return own[name]()
    found = rs.load(name).edit(gravity=[0.3, -9.81, 2])
    symbols = rs.inverse_dynamics(found).inputs.get("parameters", ())
    return found.with_values({symbol: 0.1 + 0.07 * k for k, symbol in enumerate(symbols)})


def elbows(x: Array, y: Array, places: tuple[float, float], cranks: tuple[float, float], rods: tuple[float, float],
           signs: tuple[int, int]) -> Array:  # fmt: skip
    """Return the motor angles of a five-bar robot by the law of cosines."""
    found = []
    for place, crank, rod, sign in zip(places, cranks, rods, signs, strict=True):
        u, v = x - place, y
        r2 = u * u + v * v
        with np.errstate(invalid="ignore"):
            found.append(np.arctan2(v, u) + sign * np.arccos((r2 + crank**2 - rod**2) / (2 * crank * np.sqrt(r2))))
    return np.stack(found, axis=-1)


def test_five_bar_takes_two_numbers() -> None:
    model = rs.inverse_geometry(robot("five-bar")).in_coordinates("x", "y")
    assert model.inputs == {"pose": ("x", "y")}
    x, y = (part.ravel() for part in np.meshgrid(np.linspace(-0.5, 0.7, 41), np.linspace(0.05, 0.6, 31)))
    found = model.compile()(pose=np.stack([x, y], axis=1)).q
    wanted = elbows(x, y, (0.0, 0.2), (0.25, 0.28), (0.3, 0.33), (1, -1))
    reached = np.isfinite(wanted).all(axis=1)
    assert 200 < reached.sum() < len(x) - 200
    assert np.array_equal(np.isfinite(found).all(axis=1), reached)
    away = (found - wanted + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(away[reached]).max() < 1e-9


@pytest.mark.parametrize(
    ("name", "coordinates"),
    [("five-bar", "x y"), ("fivebar", "x y"), ("delta", "x y z"), ("planar3rrr", "x y yaw"), ("tricept", "x y z"),
     ("agile_eye", "roll pitch yaw"), ("gough33", "x y z roll pitch yaw"), ("3-RPS", "z roll pitch"),
     ("3-PRS", "z roll pitch")],
)  # fmt: skip
def test_inverse_dynamics_along_motions_of_the_coordinates(name: str, coordinates: str) -> None:
    """Twist and acceleration are those of poses that a numerical solver computes at neighboring times."""
    machine, names = robot(name), tuple(coordinates.split())
    full = rs.inverse_dynamics(machine)
    model = full.in_coordinates()
    assert model.inputs["pose"] == names
    assert model.inputs["twist"] == tuple(f"{n}d" for n in names)
    reference = machine.reference
    assert reference is not None
    rng = np.random.default_rng(5)
    start = np.array([dict(zip(NAMES, [*reference.pose[9:], 0, 0, 0], strict=True))[n] for n in names])
    c = start + rng.normal(size=(9, len(names))) * 0.04
    cd, cdd = rng.normal(size=(2, 9, len(names))) * [[[0.3]], [[1.0]]]
    h = 3e-4

    def poses(t: float) -> Array:
        at = dict(zip(names, (c + cd * t + cdd * t * t / 2).T, strict=True))
        return np.asarray(rs.platform_pose(machine, **at, pose=reference.pose))  # type: ignore[union-attr]

    before, now, after = poses(-h), poses(0), poses(h)
    good = np.isfinite(before + now + after).all(axis=1)
    assert good.sum() >= 5
    first, second = (after - before) / (2 * h), (after - 2 * now + before) / (h * h)
    R, Rd, Rdd = (table[:, :9].reshape(-1, 3, 3) for table in (now, first, second))

    def turning(S: Array) -> Array:
        return np.stack([S[:, 2, 1] - S[:, 1, 2], S[:, 0, 2] - S[:, 2, 0], S[:, 1, 0] - S[:, 0, 1]], axis=1) / 2

    back = R.transpose(0, 2, 1)
    twist = np.hstack([first[:, 9:], turning(Rd @ back)])
    # the finite differences are known to about 1e-7, so that the check of accelerations is left to them
    acceleration = np.hstack([second[:, 9:], turning(Rdd @ back + Rd @ Rd.transpose(0, 2, 1))])
    wanted = np.asarray(full.compile()(pose=now[good], twist=twist[good], acceleration=acceleration[good]))
    found = np.asarray(model.compile()(pose=c[good], twist=cd[good], acceleration=cdd[good]))
    assert np.isfinite(found).all()
    assert np.isfinite(wanted).all()
    assert np.abs(found - wanted).max() < 3e-6 * np.abs(wanted).max()


def test_rates_of_angles_far_from_the_reference() -> None:
    """Roll, pitch and yaw of a hexapod, against finite differences of a rotation built here."""
    inputs = PoseInputs(rs.load("gough33"))
    c, cd = np.array([0.1, 0.0, 0.7, 0.7, -0.6, 1.1]), np.array([0.1, 0.2, -0.3, 0.5, -0.7, 0.9])

    def turn(axis: int, angle: float) -> Array:
        j, k = (axis + 1) % 3, (axis + 2) % 3
        R = np.eye(3)
        R[j, j] = R[k, k] = np.cos(angle)
        R[k, j] = np.sin(angle)
        R[j, k] = -R[k, j]
        return R

    def rotation(c: Array) -> Array:
        return np.asarray(turn(2, c[5]) @ turn(1, c[4]) @ turn(0, c[3]))

    h = 1e-6
    pose = np.asarray(inputs.model.compile()(pose=c))
    R0 = rs.load("gough33").reference.pose[:9].reshape(3, 3)
    assert np.allclose(pose[:9].reshape(3, 3), rotation(c) @ R0, atol=1e-12)
    Rd = (rotation(c + h * cd) - rotation(c - h * cd)) / (2 * h)
    S = Rd @ rotation(c).T
    twist = np.asarray(inputs.twist.compile()(pose=pose, twist=cd))
    assert np.allclose(twist, [0.1, 0.2, -0.3, S[2, 1], S[0, 2], S[1, 0]], atol=1e-8)


def test_unreachable_pose_is_nan() -> None:
    model = rs.inverse_dynamics(robot("five-bar")).in_coordinates("x", "y")
    found = model.compile()(pose=[[0.1, 0.4], [5.0, 5.0]], twist=np.zeros((2, 2)), acceleration=np.zeros((2, 2)))
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()


def test_chosen_branches_are_those_of_the_model() -> None:
    own = robot("five-bar")
    model = rs.inverse_geometry(own, modes=[0, 1])
    pose = rs.platform_pose(own, x=0.1, y=0.4, modes=[0, 1])
    assert np.allclose(model.in_coordinates("x", "y").compile()(pose=[0.1, 0.4]).q, model.solve(pose), atol=1e-9)
    assert not np.allclose(model.solve(pose), rs.inverse_geometry(own).solve({"x": 0.1, "y": 0.4}), atol=0.1)


def test_bundle_takes_coordinates(tmp_path: Path) -> None:
    """The C function of two numbers gives the motors that geometry gives."""
    rs.bundle(robot("five-bar"), tmp_path, coordinates=["x", "y"])
    main = """#include <stdio.h>
#include "own.h"
int main(void) {
    const double pose[2] = {0.11, 0.42};
    double q[2];
    own_inverse_geometry(pose, q);
    printf("%.17g %.17g\\n", q[0], q[1]);
    return 0;
}
"""
    (tmp_path / "main.c").write_text(main)
    run(tool("gcc"), "main.c", "own_inverse_geometry.c", "-o", "main", "-lm", cwd=tmp_path)
    found = np.array(run(tmp_path / "main", cwd=tmp_path).split(), dtype=float)
    wanted = elbows(np.array(0.11), np.array(0.42), (0.0, 0.2), (0.25, 0.28), (0.3, 0.33), (1, -1))
    assert np.abs((found - wanted + np.pi) % (2 * np.pi) - np.pi).max() < 1e-9


@pytest.mark.parametrize(
    ("pose", "same"),
    [({"x": 0.1, "y": 0.4}, {"x": 0.1, "y": 0.4}), ([0.1, 0.4], {"x": 0.1, "y": 0.4}),
     ([[0.1, 0.4], [0.12, 0.41]], {"x": [0.1, 0.12], "y": [0.4, 0.41]})],
)  # fmt: skip
def test_poses_are_accepted_by_coordinates(pose: object, same: dict[str, object]) -> None:
    own = robot("five-bar")
    geometry, wanted = rs.inverse_geometry(own), rs.platform_pose(own, **same)  # type: ignore[arg-type]
    assert np.allclose(geometry.solve(pose), geometry.solve(wanted), atol=1e-12)
    assert np.allclose(rs.dexterity(own, pose), rs.dexterity(own, wanted))  # type: ignore[arg-type]


def test_poses_out_of_reach_have_no_dexterity() -> None:
    found = rs.dexterity(robot("five-bar"), {"x": [0.1, 5.0], "y": 0.4})
    assert np.isfinite(found[0])
    assert np.isnan(found[1])


def test_forbidden_pose_reports_the_gap() -> None:
    """Without its rotation, the second joint of the first leg would have to be elsewhere by a computable distance."""
    own = robot("five-bar")
    T = np.eye(4)
    T[:2, 3] = 0.1, 0.4
    with pytest.raises(InputError, match=r"miss the platform by up to [0-9.]+ \(m, rad\)"):
        rs.inverse_geometry(own).solve(T)


@pytest.mark.parametrize(
    ("name", "coordinates", "message"),
    [
        ("five-bar", ("x",), r"2 degrees of freedom: expected as many coordinates, such as x, y, found x"),
        ("five-bar", ("x", "z"), r"x, z do not determine the pose of own"),
        ("five-bar", ("x", "u"), r"expected some of x, y, z, roll, pitch, yaw, found 'u'"),
        ("delta", ("x", "y", "yaw"), r"do not determine the pose"),
    ],
)
def test_rejects_coordinates_that_do_not_determine_the_pose(
    name: str, coordinates: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        rs.inverse_geometry(robot(name)).in_coordinates(*coordinates)


def test_rejects_models_without_a_pose() -> None:
    with pytest.raises(InputError, match="expected a model of a parallel robot whose input is a pose"):
        rs.inverse_dynamics("rx90").in_coordinates("x", "y")
