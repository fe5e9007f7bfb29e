"""Identification while the robot moves: a sample or a few at a time, old ones forgotten if need be.

What is known is the triangle of each joint; new rows are joined to it by one orthogonal step, so that nothing is lost
to rounding as it would be in a matrix that is inverted again and again. The result is that of all samples at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robosym.control.drives import Drive
from robosym.errors import InputError
from robosym.experiment.estimate import Estimate
from robosym.experiment.least_squares import Triangle, joined, noise, solve, told_apart, weighted
from robosym.experiment.prepare import Motion
from robosym.experiment.regressor import Reduced, Regressor
from robosym.mechanism import Friction, Robot

__all__ = ["Recursive"]


class Recursive:
    """Parameters of a robot from samples as they come.

    `update(q, qd, qdd, tau)` takes one sample (n,) or several (m, n), filtered like each other; `update(motion)` a
    prepared motion. `forget` is the time in seconds after which old samples count for 1/e (with `step`, the time
    between samples), for parameters that drift. `estimate` is what is known so far; `values` are its numbers.
    """

    def __init__(
        self, robot: Robot, friction: Friction | None = None, *, forget: float | None = None,
        step: float | None = None, rest: float = 0.02, drive: Drive | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(robot, Robot):
            raise InputError(f"recursive: expected a Robot, found {type(robot).__name__}")
        if (forget is None) != (step is None) or (forget is not None and not (forget > 0 and step and step > 0)):
            raise InputError("recursive: forget: expected a time in seconds, and step, the time between samples")
        self.regressor = Regressor(robot, friction or Friction(), drive)
        if self.regressor.friction.load:
            raise InputError("recursive: expected friction that does not depend on load")
        self._kept = 1.0 if forget is None or step is None else float(np.exp(-step / forget))
        self.rest, self.samples = rest, 0
        width = len(self.regressor.names)
        empty = Triangle(np.zeros((0, width + 1)), 0)
        self._moving, self._still = [empty] * len(self.regressor.joints), [empty] * len(self.regressor.joints)

    def update(self, q: ArrayLike | Motion, qd: ArrayLike = (), qdd: ArrayLike = (), tau: ArrayLike = ()) -> Recursive:
        """Take in samples; gives itself."""
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
        """The parameters that the samples so far tell, joints over the deviations of their residuals."""
        data = weighted(self._moving, [noise(part) for part in self._moving])
        kept, chosen = told_apart(data, len(self.regressor.names), "recursive")
        none = np.zeros((0, len(self.regressor.joints)))
        positions = np.zeros((0, len(self.regressor.joints)))
        pairs = list(zip(self._moving, self._still, strict=True))
        log = Reduced(Motion(np.zeros(0), positions, none, none, none), pairs)
        return Estimate.of(self.regressor, [log], kept, solve(chosen), chosen, "recursive")

    @property
    def values(self) -> dict[str, float]:
        """Parameters by name, as they are known so far."""
        return dict(self.estimate.items())

    def __repr__(self) -> str:
        return f"<Recursive of {self.regressor.robot.name}: {self.samples} samples>"
