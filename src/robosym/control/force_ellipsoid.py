"""Force ellipsoids: forces that a link can exert with limited torques (guide 2.9, duality of J)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array
from robosym.algebra.matrix import sum_of
from robosym.control.drafting import Draft, Gain
from robosym.coordinates.accepts import accepts
from robosym.errors import InputError
from robosym.kinematics import jacobian
from robosym.mechanism import Robot, need_rigid
from robosym.mechanism.added_frame import tool_frame
from robosym.model import Model, compose

__all__ = ["ForceEllipsoid", "force_ellipsoid"]


@dataclass(frozen=True, eq=False, repr=False)
class ForceEllipsoid(Model):
    """Model of the matrix E in F^T E F <= 1; `axes` returns the semi-axes as numbers."""

    def axes(self, q: ArrayLike, parameters: Mapping[str, float] | None = None) -> tuple[Array, Array]:
        """Return the semi-axes of the ellipsoid.

        Parameters
        ----------
        q : array_like, shape (..., joints)
            Joint positions.
        parameters : mapping of str to float, optional
            Values of symbols.

        Returns
        -------
        tuple of ndarray
            Lengths, shape (..., r), in N or N m, largest last; directions, shape (..., r, r), one per column. A
            length is infinite where the structure bears a force without torques.
        """
        given: dict[str, object] = {"q": np.asarray(q, dtype=float)}
        if "parameters" in self.inputs:
            given["parameters"] = parameters or {}
        values, directions = np.linalg.eigh(self.compile()(**given))
        with np.errstate(divide="ignore"):
            lengths = 1 / np.sqrt(np.clip(values, 0, None))
        return lengths[..., ::-1], directions[..., ::-1]


@accepts("mobile", loops=False)
def force_ellipsoid(
    robot: Robot,
    link: int | str | None = None,
    limits: Gain = 1,
    rows: Iterable[int] = (1, 2, 3),
    frame: int | str = 0,
    tool: ArrayLike | None = None,
) -> ForceEllipsoid:
    """Return the force ellipsoid E = J diag(1 / limits^2) J^T of a link.

    A force F of the link with F^T E F <= 1 requires torques with sum (tau_j / limit_j)^2 <= 1.

    Parameters
    ----------
    robot : Robot
        Tree robot.
    link : int or str, optional
        Link that exerts the forces. Default: the end of the arm.
    limits : float, str or sequence
        Torque limits, one for all joints or one per joint, numbers or symbols.
    rows : iterable of int
        Components: 1 to 3 forces, 4 to 6 moments.
    frame : int or str
        Frame of the components.
    tool : array_like, optional
        Pose of a tool frame in the frame of the link: x, y, z, roll, pitch, yaw, or a 4x4 matrix.

    Returns
    -------
    ForceEllipsoid
        Model of E, with a method `axes`.

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> ellipsoid = rs.force_ellipsoid(rs.load("planar2r"), rows=(1, 2))
    >>> lengths, directions = ellipsoid.axes([0.3, 0.8])
    >>> lengths.shape
    (2,)
    """
    need_rigid(robot, "force_ellipsoid")
    robot, link = tool_frame(robot, link, tool, "link")
    rows = tuple(rows)
    J = jacobian(robot, link, frame, link, rows=rows, active=False)
    below = compose(J.plain())
    draft = Draft(robot, {}, below)
    entries, n = draft.out("J"), len(J.joints)
    most = draft.gains("TMAX", limits, J.joints, "limits")
    if wrong := [limit for limit in most if limit.is_number and limit.number <= 0]:
        raise InputError(f"limits: expected torques above 0, found {float(wrong[0]):g}")
    weights = [1 / (limit * limit) for limit in most]
    E = [
        [sum_of(entries[a * n + k] * weights[k] * entries[b * n + k] for k in range(n)) for b in range(len(rows))]
        for a in range(len(rows))
    ]
    names = tuple(tuple(f"EF{a}{b}" for b in rows) for a in rows)
    pairs = zip((name for row in names for name in row), (value for row in E for value in row), strict=True)
    made = draft.model("fel", f"Force ellipsoid of link {link}", {"E": dict(pairs)})
    return ForceEllipsoid(
        made.name, made.kind, made.title, made.inputs, {"E": names}, made.definitions, made.graph, robot
    )
