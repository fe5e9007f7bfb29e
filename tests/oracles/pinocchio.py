"""A robot as a Pinocchio model, built from its numbers by Pinocchio's own placements and inertias.

Nothing of robosym's geometry or dynamics is used: the frames are products of Pinocchio's rotations and translations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from robosym.algebra import evaluate
from robosym.mechanism import PRISMATIC, REVOLUTE, Link, Robot

Array = NDArray[np.float64]


def rotation(axis: str, angle: float) -> pin.SE3:
    return pin.SE3(pin.utils.rotate(axis, angle), np.zeros(3))


def shift(axis: str, length: float) -> pin.SE3:
    return pin.SE3(np.eye(3), length * np.eye(3)["xyz".index(axis)])


def table_poses(robot: Robot, joints: Mapping[str, float]) -> Array:
    """Return 0Tj of every frame, frame 0 first, as products of rotations and translations."""
    poses = [pin.SE3.Identity()]
    for frame in robot.frames:
        entries = [getattr(frame, name) for name in ("gamma", "b", "alpha", "d", "theta", "r")]
        g, b, a, d, *rest = evaluate(entries, joints)
        t, r = frame.joint_type.placed(*rest)
        step = rotation("z", g) * shift("z", b) * rotation("x", a) * shift("x", d) * rotation("z", t) * shift("z", r)
        poses.append(poses[frame.ant] * step)
    return np.array([pose.homogeneous for pose in poses])


def inertia(link: Link, value: Mapping[str, float]) -> pin.Inertia:
    """Return the inertia from mass, first moments and inertia at the origin, for any ten numbers."""
    names = ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")
    m, mx, my, mz, xx, xy, xz, yy, yz, zz = evaluate([getattr(link, name) for name in names], value)
    first = np.array([mx, my, mz])
    if m <= 0 and first.any():
        raise ValueError("Pinocchio supports first moments only with a positive mass")
    body = pin.Inertia.Zero()
    body.mass = m
    body.lever = first / m if m else first
    about_center = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) + m * pin.skew(body.lever) @ pin.skew(
        body.lever
    )
    body.inertia = (about_center + about_center.T) / 2  # Pinocchio requires exact symmetry
    return body


def depth_first(robot: Robot) -> list[int]:
    """Return the links with contiguous branches, as Pinocchio's crba and derivatives require."""
    order: list[int] = []
    waiting = [0]
    while waiting:
        link = waiting.pop()
        order += [link] * (link > 0)
        waiting += [j for j in range(robot.NL, 0, -1) if robot.frame(j).ant == link]
    return order


@dataclass
class Oracle:
    """Tree of a robot for given parameter values, with joints in robosym's order."""

    robot: Robot
    values: Mapping[str, float]
    model: pin.Model = field(init=False)
    frames: dict[int, int] = field(init=False)  #: robosym's frame -> Pinocchio's frame

    def __post_init__(self) -> None:
        robot, model = self.robot, pin.Model()
        body: dict[int, tuple[int, pin.SE3]] = {0: (0, pin.SE3.Identity())}  # joint, and placement relative to it
        self.moving_base = robot.base.link is not None
        if robot.base.link is not None:  # the base is a body with a free-flyer at the origin
            base = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
            model.appendBodyToJoint(base, inertia(robot.base.link, self.values), pin.SE3.Identity())
            body[0] = base, pin.SE3.Identity()
        self.frames = {}
        self.order: list[int] = []
        self.offset: list[float] = []
        for j in depth_first(robot):
            frame = robot.frame(j)
            parent, placement = body[frame.ant]
            zero = dict(self.values) | {name: 0.0 for name in robot.variables if name}
            gamma, b, alpha, d, theta, r = (
                evaluate([getattr(frame, n)], zero)[0] for n in ("gamma", "b", "alpha", "d", "theta", "r")
            )
            before = placement * rotation("z", gamma) * shift("z", b) * rotation("x", alpha) * shift("x", d)
            if frame.sigma == REVOLUTE:
                before, kind, offset = before * shift("z", r), pin.JointModelRZ(), theta
            elif frame.sigma == PRISMATIC:
                before, kind, offset = before * rotation("z", theta), pin.JointModelPZ(), r
            elif frame.is_joint:  # Pinocchio's pitch is the translation per radian
                screw = pin.JointModelHelicalUnaligned(np.array([0.0, 0.0, 1.0]), frame.joint_type.linear)
                before, kind, offset = before * shift("z", r), screw, theta
            else:
                body[j] = parent, before * rotation("z", theta) * shift("z", r)
                kind = None
            if kind is not None:
                parent = model.addJoint(parent, kind, before, f"joint{j}")
                body[j] = parent, pin.SE3.Identity()
                self.order.append(j)
                self.offset.append(offset)
            joint, placed = body[j]
            model.appendBodyToJoint(joint, inertia(robot.link(j), self.values), placed)
            self.frames[j] = model.addFrame(pin.Frame(f"frame{j}", joint, placed, pin.FrameType.OP_FRAME))
        gravity = evaluate(robot.gravity, self.values)
        model.gravity = pin.Motion(np.array(gravity), np.zeros(3))
        self.model, self.data = model, model.createData()

    def q(self, q: Array) -> Array:
        """Return Pinocchio's joint positions: offsets added, in the order of its tree."""
        place = {j: k for k, j in enumerate(self.robot.tree_joints)}
        moved = pin.neutral(self.model)
        for joint, j, offset in zip(self._joints(), self.order, self.offset, strict=True):
            moved[joint.idx_q] = q[place[j]] + offset
        return moved

    def v(self, v: Array) -> Array:
        place = {j: k for k, j in enumerate(self.robot.tree_joints)}
        moved = np.zeros(self.model.nv)
        for joint, j in zip(self._joints(), self.order, strict=True):
            moved[joint.idx_v] = v[place[j]]
        return moved

    def back(self, v: Array) -> Array:
        """Return a vector over Pinocchio's joints in robosym's order."""
        at = {j: joint.idx_v for joint, j in zip(self._joints(), self.order, strict=True)}
        return np.array([v[at[j]] for j in self.robot.tree_joints])

    def _joints(self) -> list[pin.JointModel]:
        return list(self.model.joints)[2 if self.moving_base else 1 :]

    def external(self, value: Mapping[str, float]) -> list[pin.Force]:
        """Return the wrenches of the environment on each body: the opposite of those of the links."""
        forces = [pin.Force(np.zeros(6)) for _ in range(self.model.njoints)]
        if self.robot.base.link is not None:
            w = evaluate([getattr(self.robot.base.link, n) for n in ("FX", "FY", "FZ", "CX", "CY", "CZ")], value)
            forces[1] = pin.Force(-np.array(w[:3]), -np.array(w[3:]))
        for j in range(1, self.robot.NL + 1):
            link = self.robot.link(j)
            w = evaluate([getattr(link, n) for n in ("FX", "FY", "FZ", "CX", "CY", "CZ")], value)
            frame = self.model.frames[self.frames[j]]
            at = frame.parentJoint
            forces[at] = forces[at] + frame.placement.act(pin.Force(-np.array(w[:3]), -np.array(w[3:])))
        return forces

    def efforts(self, q: Array, qd: Array, qdd: Array, value: Mapping[str, float]) -> tuple[Array, Array]:
        """Return torques with wrenches, friction and rotor inertia, and the wrench on the base."""
        v, a = self.v(qd), self.v(qdd)
        if self.moving_base:
            w0, wp0, v0, vp0 = (
                np.array(evaluate(getattr(self.robot.base, n), value)) for n in ("W0", "WP0", "V0", "VP0")
            )
            v[:6] = [*v0, *w0]
            a[:6] = [*(vp0 - np.cross(w0, v0)), *wp0]  # spatial acceleration from that of the origin
        rnea = pin.rnea(self.model, self.data, self.q(q), v, a, self.external(value))
        drive = []
        for j, rate, acceleration in zip(self.robot.tree_joints, qd, qdd, strict=True):
            ia, fv, fs = evaluate([getattr(self.robot.link(j), n) for n in ("IA", "FV", "FS")], value)
            drive.append(ia * acceleration + fv * rate + fs * np.sign(rate))
        return self.back(rnea) + np.array(drive), rnea[:6] if self.moving_base else np.zeros(0)

    def torques(self, q: Array, qd: Array, qdd: Array, value: Mapping[str, float]) -> Array:
        return self.efforts(q, qd, qdd, value)[0]
