"""Conditioning of a parallel robot in many poses at once, from J_p^-1 in machine code.

A row of J_p^-1 is the wrench of a unit motor effort on the platform. It grows without bound where a leg is stretched
or folded (type 1); the rows become dependent where the platform can move with all motors locked (type 2). With
moments divided by a length L of the robot, both have a dimensionless measure that is 0 in a singular pose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robosym.algebra import evaluate, symbols
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.coordinates.allowed_poses import ALLOWED
from robosym.coordinates.legs import Legs
from robosym.coordinates.platform_poses import LegEnds, poses_given
from robosym.errors import InputError, missing_values
from robosym.mechanism import GEOMETRY, Frame, Robot
from robosym.mechanism.elements import length_entries
from robosym.model import Model
from robosym.runtime import Compiled
from robosym.solve.leg_joints import leg_joints

__all__ = ["Conditioning", "Measures", "need_platform"]

_CHUNK = 20000  #: poses per batch


@dataclass(frozen=True)
class Measures:
    """Measures of poses, with their leading axes; NaN where a leg does not reach."""

    reached: Array  #: whether every leg reaches the platform in its branch, within limits if these are checked
    type1: Array  #: per motor, shape (..., motors): 0 where its leg is stretched or folded
    type2: Array  #: smallest singular value of the normalized rows: 0 where the motors do not hold the platform
    sign: Array  #: sign of the determinant, if the number of motors equals the DoF: it changes across type 2
    dexterity: Array  #: ratio of the smallest to the largest singular value of J_p^-1: 1 if isotropic
    beyond: Array  #: whether the legs reach the pose with a joint beyond its limits


def need_platform(robot: Robot) -> None:
    """Raise an error for a robot without exactly one platform."""
    coordinates = getattr(robot, "coordinates", "")
    if coordinates != "platform":
        hint = {"modules": ", a hybrid robot: use one of robot.module_robots()"}.get(coordinates, "")
        raise InputError(f"expected a parallel robot, found {getattr(robot, 'name', robot)!r}{hint}")


class Conditioning:
    """Measures of a robot in given branches of its legs; `length` relates angles to lengths."""

    def __init__(
        self, robot: Robot, modes: Sequence[int] | None = None, parameters: Mapping[str, float] | None = None,
        length: float | None = None, limits: bool = False,
    ) -> None:  # fmt: skip
        """Create the measures; with `limits`, a pose is reached only if all joints are within their limits."""
        need_platform(robot)
        self.robot, self.parameters = robot, dict(parameters or {})
        self.geometry = leg_joints(robot, modes=modes)
        self.length = self._length() if length is None else float(length)
        if not (np.isfinite(self.length) and self.length > 0):
            raise InputError(f"length: expected a positive number, found {length!r}")
        legs = Legs(robot, ("pose",), ("parameters",), modes)
        with legs.work as work:
            zero = work.graph.zero
            rows = [[zero + x for x in (*w[0], *w[1])] for _, w in legs.rows()]
            free, E = legs.basis
            self.freedom = len(free)
            outputs = {"Ji": work.matrix("Ji", rows), "E": work.matrix("E", [[zero + x for x in row] for row in E])}
            self.model = work.model("con", "Rows of the motors and motion space of the platform", outputs)
        self.limits, self._ends = limits, LegEnds(robot)
        self.turning = np.array([robot.frame(j).joint_type.turns for j in robot.motors])

    @cached_property
    def _rows(self) -> Compiled:
        return self.model.compile()

    def _values(self, names: Sequence[str]) -> dict[str, float]:
        missing = [name for name in names if name not in self.parameters]
        if missing:
            raise missing_values(missing, f"{self.robot.name}: ")
        return {name: float(self.parameters[name]) for name in names}

    def _length(self) -> float:
        """Return the mean distance of the leg ends from the origin of the platform, or of the base if that is zero."""
        robot = self.robot

        def distance(frames: Iterable[Frame]) -> float:
            entries = length_entries(frames)
            still = dict.fromkeys((name for name in robot.variables if name), 0.0)
            known = {**self._values([n for n in symbols(entries) if n not in still]), **still}
            return float(np.linalg.norm(np.reshape(evaluate(entries, known), (-1, 3)), axis=1).mean())

        found = distance(robot.places)
        if not found:
            found = distance(robot.frame(leg[0]) for leg in robot.legs)
        return found or 1.0

    def given(self, model: Model, poses: Array) -> dict[str, Array | dict[str, float]]:
        names = model.inputs.get("parameters", ())
        return {"pose": poses, **({"parameters": self._values(names)} if names else {})}

    def _open(self, poses: Array, joints: Array) -> Array:
        """Return the gaps between the leg ends and the platform, shape (m,), in m and rad."""
        robot = self.robot
        entries = [getattr(part, name) for part in robot.frames for name in GEOMETRY]
        values = self._values([name for name in symbols(entries) if name not in robot.variables])
        return np.asarray(self._ends.gaps(poses, joints, values).max(axis=1))

    def measures(self, poses: ArrayLike) -> Measures:
        """Return the measures at poses of shape (..., 12) or (..., 4, 4)."""
        given = poses_given(poses)
        rows = given.reshape(-1, 12)
        parts = [self._some(rows[k : k + _CHUNK]) for k in range(0, len(rows), _CHUNK)] or [self._some(rows)]
        shape = given.shape[:-1]

        def whole(name: str) -> Array:
            joined = np.concatenate([getattr(part, name) for part in parts])
            return joined.reshape((*shape, *joined.shape[1:]))

        return Measures(*(whole(entry.name) for entry in fields(Measures)))

    def _some(self, poses: Array) -> Measures:
        motors = len(self.robot.motors)
        joints = self._every_joint(poses)
        reached: Array = np.asarray(np.isfinite(joints).all(axis=1))
        safe = np.where(reached[:, None], joints, 0.0)
        with np.errstate(all="ignore"):
            reached &= self._open(poses, safe) < ALLOWED
        beyond = reached & ~self._ends.within_limits(safe)
        if self.limits:
            reached &= ~beyond
        Ji, E = self._rows(**self.given(self.model, poses))
        scale = np.array([1, 1, 1, *(3 * [1 / self.length])])  # moments divided by the length
        back = 1 / scale
        E = np.asarray(E) * back[:, None]  # rotations multiplied by the length
        finite = np.isfinite(Ji).all(axis=(1, 2)) & np.isfinite(E).all(axis=(1, 2)) & reached
        M = np.zeros((len(poses), motors, self.freedom))
        Q = np.linalg.qr(np.where(finite[:, None, None], E, np.eye(6, self.freedom)))[0]
        M[finite] = (np.asarray(Ji)[finite] * scale) @ Q[finite]
        sizes = np.linalg.norm(M, axis=2)
        unit = np.where(self.turning, self.length, 1.0)  # rotation of the motor multiplied by the length
        with np.errstate(all="ignore"):
            type1 = np.where(finite[:, None], 1 / (sizes * unit), 0.0)
            N = np.where(sizes[..., None] > 0, M / sizes[..., None], 0.0)
        few = motors < self.freedom
        least = np.linalg.svd(N, compute_uv=False)[:, -1] if not few else np.zeros(len(poses))
        weighted = M * unit[:, None]
        singular = np.linalg.svd(weighted, compute_uv=False)
        with np.errstate(all="ignore"):
            quality = np.where(finite & (singular[:, 0] > 0), singular[:, -1] / singular[:, 0], 0.0)
        if few:
            quality = 0 * quality
        sign = np.sign(np.linalg.det(N)) if motors == self.freedom else np.zeros(len(poses))
        # orthonormal axes of E: their orientation must not change the sign
        if motors == self.freedom and self.freedom:
            R = np.einsum("nik,nil->nkl", Q, np.where(finite[:, None, None], E, np.eye(6, self.freedom)))
            sign = sign * np.sign(np.linalg.det(R))
        out = ~reached
        lost = np.where(out, np.nan, 1.0)
        return Measures(
            reached, type1 * lost[:, None], np.where(finite, least, 0.0) * lost, sign * lost, quality * lost, beyond
        )  # fmt: skip

    def closed(self, poses: Array) -> NDArray[np.bool_]:
        """Return where all legs meet the platform, shape (n,)."""
        joints = self._every_joint(poses)
        finite: NDArray[np.bool_] = np.asarray(np.isfinite(joints).all(axis=1))
        with np.errstate(all="ignore"):
            return np.asarray(finite & (self._open(poses, np.where(finite[:, None], joints, 0.0)) < ALLOWED))

    def ready(self) -> Compiled:
        """Return the machine code, compiled before threads start."""
        return self._rows

    def matrices(self, poses: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return the forces (n, DoF, motors) of unit efforts, the motion space E (n, 6, DoF), and where both exist.

        The forces are those along the coordinates of E.
        """
        Ji, E = (np.asarray(part) for part in self._rows(**self.given(self.model, poses)))
        finite: NDArray[np.bool_] = np.asarray(np.isfinite(Ji).all(axis=(1, 2)) & np.isfinite(E).all(axis=(1, 2)))
        Ji, E = (np.where(finite[:, None, None], part, 0.0) for part in (Ji, E))
        return np.einsum("nmi,nif->nfm", Ji, E), E, finite

    def joints_by_name(self, pose: Array) -> dict[str, float]:
        """Return all joints of the legs in a pose of shape (12,)."""
        names = [self.robot.variable(j) for j in self.robot.tree_joints]
        return dict(zip(names, map(float, self._every_joint(pose[None])[0]), strict=True))

    def _every_joint(self, poses: Array) -> Array:
        """Return all joints of the legs, shape (m, joints); not finite where a leg does not reach."""
        return self.geometry.joints_at(self.given(self.geometry, poses), ordered=True)
