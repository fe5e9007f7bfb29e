"""Recursive identification while the robot moves, one or several samples at a time, with optional forgetting.

The state is the triangle of each joint; new rows are added by an orthogonal transformation, which avoids the rounding
errors of repeated matrix inversion. The result equals that of all samples at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robosym.control.drives import Drive
from robosym.errors import InputError, counted
from robosym.experiment.estimate import Estimate
from robosym.experiment.least_squares import Triangle, identifiable, joined, noise, solve, weighted
from robosym.experiment.prepare import Motion
from robosym.experiment.regressor import ReducedLog, Regressor
from robosym.mechanism import Friction, Robot
from robosym.mechanism.needs import need_base

__all__ = ["Recursive"]


class Recursive:
    """Recursive identification of robot parameters.

    Parameters
    ----------
    robot : Robot
        Robot on a fixed base, with numbers for its geometry.
    friction : Friction, optional
        Friction model without load dependence.
    forget : float, optional
        Time in s after which old samples are weighted by 1/e, for parameters that drift. Requires `step`.
    step : float, optional
        Time between samples in s.
    rest : float
        Speed in rad/s or m/s below which a joint is stationary.
    drive : Drive, optional
        Drives with motors that several joints turn.

    Raises
    ------
    InputError
        If an argument is invalid.

    Examples
    --------
    >>> import numpy as np
    >>> import robosym as rs
    >>> robot = rs.load("planar2r")
    >>> rng = np.random.default_rng(1)
    >>> q, qd, qdd = rng.uniform(-1, 1, (3, 200, 2))
    >>> tau = rs.inverse_dynamics(robot).compile()(q=q, qd=qd, qdd=qdd)
    >>> online = rs.Recursive(robot).update(q, qd, qdd, tau)
    >>> online
    <Recursive of planar2r: 200 samples>
    >>> sorted(online.values)[0]
    'FS1'
    """

    def __init__(
        self, robot: Robot, friction: Friction | None = None, *, forget: float | None = None,
        step: float | None = None, rest: float = 0.02, drive: Drive | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(robot, Robot):
            raise InputError(f"recursive: robot: expected a Robot, found {type(robot).__name__}")
        if (forget is None) != (step is None) or (forget is not None and not (forget > 0 and step and step > 0)):
            raise InputError(
                "recursive: forget: expected positive times forget and step in s, or neither, "
                f"found forget={forget!r}, step={step!r}"
            )
        need_base(robot, "Recursive", "fixed")
        self.regressor = Regressor(robot, friction or Friction(), drive)
        if self.regressor.friction.load:
            raise InputError("recursive: friction: expected friction without load dependence, found load=True")
        self._kept = 1.0 if forget is None or step is None else float(np.exp(-step / forget))
        self.rest, self.samples = rest, 0
        width = len(self.regressor.names)
        empty = Triangle(np.zeros((0, width + 1)), 0)
        self._moving, self._still = [empty] * len(self.regressor.joints), [empty] * len(self.regressor.joints)

    def update(self, q: ArrayLike | Motion, qd: ArrayLike = (), qdd: ArrayLike = (), tau: ArrayLike = ()) -> Recursive:
        """Add samples.

        Parameters
        ----------
        q : array_like, shape (joints,) or (n, joints), or Motion
            Positions in rad or m, or a prepared motion.
        qd, qdd : array_like
            Velocities and accelerations, shape like `q`.
        tau : array_like
            Torques in N m or forces in N, filtered like the motion.

        Returns
        -------
        Recursive
            The object itself.
        """
        if isinstance(q, Motion):
            motion = q
        else:
            rows = [np.atleast_2d(np.asarray(part, dtype=float)) for part in (q, qd, qdd, tau)]
            count = len(rows[0])
            moves = np.abs(self.regressor.of_rows(rows[1])) >= self.rest
            motion = Motion(np.arange(float(count)), rows[0], rows[1], rows[2], rows[3], moves=moves)
        weight = self._kept ** len(motion)
        new = self.regressor.table(motion).triangles()
        for known, part in ((self._moving, 0), (self._still, 1)):
            for at, pair in enumerate(new):
                old = Triangle(known[at].R * np.sqrt(weight), known[at].rows)
                if pair[part].rows:
                    old = joined([old, pair[part]])
                known[at] = old
        self.samples += len(motion)
        return self

    @property
    def estimate(self) -> Estimate:
        """Estimate from the samples so far, with joints weighted by the standard deviations of their residuals."""
        data = weighted(self._moving, [noise(part) for part in self._moving])
        kept, chosen = identifiable(data, len(self.regressor.names), "recursive")
        none = np.zeros((0, len(self.regressor.joints)))
        positions = np.zeros((0, len(self.regressor.joints)))
        pairs = list(zip(self._moving, self._still, strict=True))
        log = ReducedLog(Motion(np.zeros(0), positions, none, none, none), pairs)
        return Estimate.of(self.regressor, [log], kept, solve(chosen), chosen, "recursive")

    @property
    def values(self) -> dict[str, float]:
        """Parameters by name, from the samples so far."""
        return dict(self.estimate.items())

    def __repr__(self) -> str:
        return f"<Recursive of {self.regressor.robot.name}: {counted(self.samples, 'sample')}>"
