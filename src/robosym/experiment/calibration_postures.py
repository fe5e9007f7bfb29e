"""Measurement postures of a calibration that determine its parameters well.

Postures are chosen from a pool one after the other, and exchanged as long as the criterion improves (Fedorov). With
`free`, they are then moved within the joint limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from robosym.algebra.arrays import Array, one_thread
from robosym.algebra.generic import random_arrays
from robosym.coordinates.accepts import ALL, accepts
from robosym.errors import InputError
from robosym.experiment.calibration_data import joint_rows
from robosym.mechanism import Robot
from robosym.parameters.geometric.followed import followed_passive
from robosym.parameters.geometric.geometric_parameters import identifiable
from robosym.parameters.geometric.measurements import Kind
from robosym.parameters.geometric.setting import Setting, setting_of
from robosym.table_files import write_rows

__all__ = ["CalibrationPostures", "calibration_postures"]

_POOL = 600  #: random postures
_EXCHANGES = 40  #: rounds
_MOVES = 60  #: rounds in which free postures are moved
_STRIDE = 0.3  #: first step of a move, in parts of the range of a joint
_RIDGE = 1e-9  #: added to the information, so that few postures can be compared
_BETTER = 1e-9
Criterion = Literal["determinant", "condition"]


@dataclass(frozen=True)
class CalibrationPostures:
    """Chosen postures and how well they determine the parameters.

    Examples
    --------
    >>> import robosym as rs
    >>> found = rs.calibration_postures("planar2r", 12, known=["base", "tool"], pool=60)
    >>> found.q.shape
    (12, 2)
    """

    q: Array  #: positions of the sensors, (count, sensors)
    joints: tuple[str, ...]  #: names of their joints
    names: tuple[str, ...]  #: parameters
    condition: float  #: condition number of the Jacobian with columns of unit length
    determinant: float  #: geometric mean of its singular values, per square root of the number of postures
    deviations: Array = field(repr=False)  #: std. dev. of each parameter, in parts of those of the measured values

    def write(self, path: str | Path) -> Path:
        """Write the postures to a .csv file with the names of the joints.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Path
            The file.
        """
        return write_rows(path, self.joints, self.q.tolist())

    def __str__(self) -> str:
        head = f"{len(self.q)} postures for {len(self.names)} parameters: condition {self.condition:.4g}"
        head += f", determinant {self.determinant:.4g}"
        lines = ["  ".join(f"{value:9.4f}" for value in row) for row in self.q]
        return "\n".join([head, "  ".join(f"{name:>9}" for name in self.joints), *lines])


@accepts("fixed", motors=ALL, platform=ALL, modules=ALL)
@one_thread()
def calibration_postures(
    robot: Robot,
    count: int = 30,
    measurement: Kind = "pose",
    frame: int | str | None = None,
    *,
    criterion: Criterion = "determinant",
    pool: int | Sequence[Sequence[float]] = _POOL,
    free: bool = True,
    components: Sequence[str] | None = None,
    sensors: Iterable[int | str] = (),
    tool: object = None,
    base: object = None,
    ratios: bool = False,
    compliance: bool = False,
    known: Sequence[str] = (),
    values: Mapping[str, float] | None = None,
) -> CalibrationPostures:
    """Choose measurement postures that determine the geometric parameters well.

    Parameters
    ----------
    robot : Robot
        Robot with numbers for all lengths and angles; a library name or a path is accepted too.
    count : int, optional
        Number of postures.
    measurement : {"pose", "position", "orientation", "distance", "plane", "point", "clamp", "camera", "joints"}
        Measured quantity, as in `geometric_parameters`.
    frame : int or str, optional
        Frame that carries the target, by number or name. Default: the end of the arm, or the platform.
    criterion : {"determinant", "condition"}, optional
        Criterion: the `determinant` of the information, or the `condition` number of the Jacobian.
    pool : int or array, optional
        Number of random postures within the joint limits to choose from; or an array of postures (m, joints) in rad
        or m.
    free : bool, optional
        Whether the chosen postures are then moved to improve the criterion. Postures of a given pool, of a closed robot
        or in contact are not moved.
    components : sequence of str, optional
        For `pose`: the measured components, some of x, y, z, rx, ry, rz in the measuring frame. Default: all.
    sensors : sequence of int or str, optional
        Passive joints of a closed robot that are measured, in addition to the motors.
    tool : sequence of float, optional
        Nominal pose of the target in the end frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.
    base : sequence of float, optional
        Nominal pose of frame 0 in the measuring frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.
    ratios : bool, optional
        Whether gear ratios are estimated too.
    compliance : bool, optional
        Whether compliances of the joints under gravity are estimated too.
    known : sequence of str, optional
        Parameters without errors: names (`theta3`), kinds (`gamma`, `base`, `tool`) or frames (`frame3`).
    values : dict of str to float, optional
        Values of symbolic lengths and angles.

    Returns
    -------
    CalibrationPostures
        Positions of the joints, and condition and determinant of the Jacobian.

    Raises
    ------
    InputError
        If there are too few postures for the parameters, or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> found = rs.calibration_postures("scara", 15, "position", tool=[0.1, 0, 0], pool=100)
    >>> found.condition < 60
    True
    """
    if criterion not in ("determinant", "condition"):
        raise InputError(f"criterion: expected 'determinant' or 'condition', found {criterion!r}")
    setting = setting_of(
        robot, measurement, frame, components=components, sensors=sensors, tool=tool, base=base, ratios=ratios,
        compliance=compliance, known=known, values=values, generic=False,
    )  # fmt: skip
    found = identifiable(setting)
    setting = setting.with_parameters(found.parameters)
    rows = setting.measurement.size + len(setting.sensors)
    least = -(-len(found) // max(rows, 1))
    if isinstance(count, bool) or not isinstance(count, int) or count < least:
        raise InputError(f"count: expected at least {least} postures for {len(found)} parameters, found {count!r}")
    given = not isinstance(pool, int)
    q, passive = _pool(setting, pool, count)
    blocks = _blocks(setting, q, passive)
    scale = np.linalg.norm(blocks.reshape(-1, blocks.shape[2]), axis=0)
    if np.linalg.matrix_rank((blocks / scale).reshape(-1, blocks.shape[2])) < len(found):
        raise InputError(
            f"pool: expected postures that determine all {len(found)} parameters, found {len(q)} that do not"
        )
    scale = scale / np.sqrt(len(q))
    blocks = blocks / scale
    score = _logarithm if criterion == "determinant" else _inverse_condition
    chosen = _exchanged(blocks, _greedy(blocks, count), score)
    best, q = blocks[chosen], q[chosen]
    if free and not given and not setting.robot.loops and not setting.measurement.contact:
        q, best = _moved(setting, q, best, scale, score)
    table = best.reshape(-1, best.shape[2])
    singular = np.linalg.svd(table / np.linalg.norm(table, axis=0), compute_uv=False)
    spread = np.sqrt(np.diagonal(np.linalg.inv(table.T @ table))) / scale
    mean = float(np.exp(np.mean(np.log(np.linalg.svd(table, compute_uv=False)))) / np.sqrt(count))
    return CalibrationPostures(q, setting.sensor_names, found.names, float(singular[0] / singular[-1]), mean, spread)


def _pool(setting: Setting, pool: int | Sequence[Sequence[float]], count: int) -> tuple[Array, Array]:
    """Return the sensor readings to choose from, and the passive joints."""
    if isinstance(pool, int):
        if isinstance(pool, bool) or pool < count:
            raise InputError(f"pool: expected at least {count} postures, found {pool!r}")
        return setting.random_postures(pool, margin=0.0)
    q = joint_rows(pool, setting, "pool")
    if len(q) < count:
        raise InputError(f"pool: expected at least {count} postures, found {len(q)}")
    return q, followed_passive(setting, q)


def _blocks(setting: Setting, q: Array, passive: Array) -> Array:
    """Return the rows of the Jacobian of each posture, with lengths relative to the reach, (m, rows, n)."""
    rows = setting.rows(setting.kinematics.at(np.zeros(len(setting.parameters)), q, passive))
    units = (*setting.measurement.units, *setting.sensor_units)
    return np.asarray(rows / np.array([setting.reach if unit == "m" else 1.0 for unit in units])[:, None])


Score = Callable[[Array], Array]  #: score of information matrices (..., n, n); larger is better


def _logarithm(information: Array) -> Array:
    return np.asarray(np.linalg.slogdet(information)[1])


def _inverse_condition(information: Array) -> Array:
    values = np.linalg.eigvalsh(information)
    return np.asarray(np.log(np.maximum(values[..., 0], 0.0) / values[..., -1] + _RIDGE))


def _information(blocks: Array) -> Array:
    return np.asarray(np.swapaxes(blocks, -1, -2) @ blocks)


def _greedy(blocks: Array, count: int) -> list[int]:
    """Return postures that increase the determinant of the information most, one after the other."""
    n = blocks.shape[2]
    inverse: Array = np.eye(n) / _RIDGE
    chosen: list[int] = []
    for _ in range(count):
        gains = np.linalg.slogdet(np.eye(blocks.shape[1]) + blocks @ inverse @ np.swapaxes(blocks, 1, 2))[1]
        gains[chosen] = -np.inf
        best = int(gains.argmax())
        chosen.append(best)
        J = blocks[best]
        gain = inverse @ J.T
        inverse = inverse - gain @ np.linalg.solve(np.eye(len(J)) + J @ gain, gain.T)
    return chosen


def _exchanged(blocks: Array, chosen: list[int], score: Score) -> list[int]:
    """Exchange postures for others of the pool while the score improves."""
    every = _information(blocks)
    total = every[chosen].sum(axis=0)
    best = float(score(total))
    for _ in range(_EXCHANGES):
        improved = False
        for place, old in enumerate(chosen):
            scores = score(total - every[old] + every)
            scores[chosen] = -np.inf
            new = int(scores.argmax())
            if scores[new] > best + _BETTER * max(abs(best), 1.0):
                total = total - every[old] + every[new]
                chosen[place], best, improved = new, float(scores[new]), True
        if not improved:
            break
    return chosen


def _moved(setting: Setting, q: Array, blocks: Array, scale: Array, score: Score) -> tuple[Array, Array]:
    """Move postures at random within the limits while the score improves, with decreasing steps."""
    rng = random_arrays("postures of a calibration", 1)
    low, high = setting.ranges()
    every = _information(blocks)
    total = every.sum(axis=0)
    best = float(score(total))
    none = np.zeros((len(q), 0))
    for k in range(_MOVES):
        stride = _STRIDE * (1 - k / _MOVES) * (high - low)
        tried = np.clip(q + rng.normal(size=q.shape) * stride, low, high)
        new = _blocks(setting, tried, none) / scale
        informations = _information(new)
        for at in range(len(q)):
            changed = total - every[at] + informations[at]
            value = float(score(changed))
            if value > best:
                q[at], blocks[at], every[at], total, best = tried[at], new[at], informations[at], changed, value
    return q, blocks
