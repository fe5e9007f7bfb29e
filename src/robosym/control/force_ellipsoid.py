"""Force ellipsoids: which forces a link can exert with torques within their limits (guide 2.9, duality of J)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array
from robosym.algebra.matrix import sum_of
from robosym.control.drafting import Draft, Gain
from robosym.coordinates.accepts import accepts
from robosym.kinematics import jacobian
from robosym.mechanism import Robot, need_rigid
from robosym.mechanism.added_frame import aimed
from robosym.model import Model, compose

__all__ = ["ForceEllipsoid", "force_ellipsoid"]


@dataclass(frozen=True, eq=False, repr=False)
class ForceEllipsoid(Model):
    """E of F^T E F <= 1, a model; `axes` gives the semi-axes in numbers."""

    def axes(self, q: ArrayLike, parameters: Mapping[str, float] | None = None) -> tuple[Array, Array]:
        """Lengths (..., r), the largest force last, and directions (..., r, r), a column each.

        A length is infinite where the structure bears a force without any torque.
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
    """E = J diag(1 / limits^2) J^T over the rows (1 to 3 forces, 4 to 6 moments) in `frame`.

    The link is by default the end of the arm, `tool` another frame on it.
    A force of the link within the ellipsoid needs torques tau with sum (tau_j / limit_j)^2 <= 1.
    """
    need_rigid(robot, "force_ellipsoid")
    robot, link = aimed(robot, link, tool, "link")
    rows = tuple(rows)
    J = jacobian(robot, link, frame, link, rows=rows, active=False)
    below = compose(J.plain())
    draft = Draft(robot, {}, below)
    entries, n = draft.out("J"), len(J.joints)
    weights = [1 / (limit * limit) for limit in draft.gains("TMAX", limits, J.joints)]
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
