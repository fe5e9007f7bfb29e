"""Joint positions along a path of poses: branches are followed, and the one that stays feasible is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from robosym.algebra.samples import Array, evaluate_arrays
from robosym.algebra.tolerances import LIMIT
from robosym.chains.numeric_chain import NumericChain
from robosym.model.solution.steps import Step
from robosym.solve.general import Prepared, six_joints
from robosym.solve.self_motion import twist_jacobian

if TYPE_CHECKING:
    from robosym.solve.inverse_geometry import InverseGeometry

__all__ = ["FollowedPath", "follow_path"]

_TURN = 2 * np.pi
_LONGEST = np.pi / 4  #: a longer step of an angle between two poses is a jump
_TURNS = 25  #: maximum number of Newton steps from one pose to the next
_MATCHED = 1e-5  #: how far a followed position may be from the solution that it is


@dataclass(frozen=True, eq=False)
class FollowedPath:
    """Joint positions along a path of poses, returned by `follow`."""

    joints: tuple[str, ...]
    q: Array = field(repr=False)  #: (poses, joints), angles without jumps by full turns; NaN where no solution exists
    #: by pose the branch: of each joint with two values which of them it has, 1 or -1
    branches: tuple[Mapping[str, int], ...] = field(repr=False)
    jumps: tuple[int, ...]  #: poses that are not reached continuously from the previous one
    crossings: tuple[tuple[int, tuple[str, ...]], ...]  #: poses before which a singular position is passed, with joints
    unreachable: tuple[int, ...]  #: poses without a solution within the limits

    @property
    def continuous(self) -> bool:
        """Whether every pose is reached without a jump."""
        return not self.jumps and not self.unreachable


class _State(NamedTuple):
    jumps: int
    travel: float
    q: Array
    row: int
    before: _State | None


def follow_path(
    model: InverseGeometry, T: Array, rows: Sequence[Array], start: Array | None, limits: Array | None,
    values: Mapping[str, float],
) -> FollowedPath:  # fmt: skip
    """Return the positions with the fewest jumps and, among these, with the shortest motion of the joints."""
    names, chain = model.joints, model.solver.numeric(values)
    turning = np.array([not joint.prismatic for joint in chain.joints if joint.name in names])
    following = _following(chain, T, rows, names, values, turning)
    low, high = (np.full(len(names), -np.inf), np.full(len(names), np.inf)) if limits is None else limits.T

    def image(q: Array, near: Array | None) -> Array | None:
        """Return a row with angles shifted to be within the limits and near to a position; None if it is outside."""
        if near is not None:
            q = q + turning * _TURN * np.round((near - q) / _TURN)
        below, above = np.ceil((low - LIMIT - q) / _TURN), np.floor((high + LIMIT - q) / _TURN)
        shift = turning * np.where(below > 0, below, np.where(above < 0, above, 0.0))
        q = q + _TURN * np.where(np.isfinite(shift), shift, 0.0)
        return q if ((q >= low - LIMIT) & (q <= high + LIMIT)).all() else None

    states: list[_State] = []
    unreachable: list[int] = []
    parts: list[tuple[int, _State]] = []  #: the best ends of the parts between unreachable poses
    for number in range(len(T)):
        found: dict[tuple[float, ...], _State] = {}
        best = min(states, key=lambda state: state[:2], default=None)
        for state in states:
            row = following[number - 1][state.row]
            q = None if row < 0 else _nearest(rows[number][row], state.q, turning)
            if q is not None and ((q >= low - LIMIT) & (q <= high + LIMIT)).all():
                _keep(found, _State(state.jumps, state.travel + float(np.linalg.norm(q - state.q)), q, row, state))
        near = best.q if best is not None else start if number == 0 else None
        for row, solution in enumerate(rows[number]):
            q = image(solution, near)
            if q is None:
                continue
            if best is not None:
                way = best.travel + float(np.linalg.norm(q - best.q))
                _keep(found, _State(best.jumps + 1, way, q, row, best))
            else:
                away = 0.0 if near is None else float(np.linalg.norm(q - near))
                _keep(found, _State(0 if near is None or away <= _LONGEST else 1, away, q, row, None))
        if not found:
            unreachable.append(number)
            parts += [(number - 1, best)] if best is not None else []
        states = list(found.values())
    if states:
        parts.append((len(T) - 1, min(states, key=lambda state: state[:2])))
    return _result(model, chain, values, T, parts, unreachable)


def _keep(found: dict[tuple[float, ...], _State], state: _State) -> None:
    key = tuple(np.round(state.q, 5).tolist())
    if key not in found or state[:2] < found[key][:2]:
        found[key] = state


def _nearest(q: Array, near: Array, turning: Array) -> Array:
    return np.asarray(q + turning * _TURN * np.round((near - q) / _TURN))


def _whole(chain: NumericChain, q: Array, names: Sequence[str], values: Mapping[str, float]) -> Array:
    """Return positions of all joints of a chain from those of `names`."""
    columns = [
        q[:, names.index(joint.name)] if joint.name in names else np.full(len(q), values[joint.name])
        for joint in chain.joints
    ]
    return np.stack(columns, axis=1)


def _following(
    chain: NumericChain,
    T: Array,
    rows: Sequence[Array],
    names: Sequence[str],
    values: Mapping[str, float],
    turning: Array,
) -> list[Array]:
    """Return for each solution of each pose the solution of the next pose that Newton's method leads it to, or -1."""
    counts = [len(part) for part in rows]
    owners = np.repeat(np.arange(len(T)), counts)
    owners = owners[owners < len(T) - 1]
    q = np.concatenate([np.zeros((0, len(names))), *rows[:-1]])
    known = np.array([values.get(joint.name, 0.0) for joint in chain.joints])
    ready = Prepared(six_joints(chain, known), len(chain.unknown), chain.columns, [])
    order = [names.index(chain.joints[place].name) for place in chain.unknown]
    moved = np.empty_like(q)
    moved[:, order] = ready.polish(T, owners + 1, q[:, order], _TURNS)[0]
    result, first = [], 0
    for number, count in enumerate(counts[:-1]):
        after = moved[first : first + count]
        apart = after[:, None] - rows[number + 1][None]
        apart -= turning * _TURN * np.round(apart / _TURN)
        sizes = np.abs(apart).max(axis=2, initial=0.0)
        place = sizes.argmin(axis=1) if sizes.shape[1] else np.full(count, -1)
        good = np.abs(after - q[first : first + count]).max(axis=1, initial=0.0) <= _LONGEST
        if sizes.shape[1]:
            good &= sizes[np.arange(count), place] <= _MATCHED
        result.append(np.where(good, place, -1))
        first += count
    return result


def _result(
    model: InverseGeometry, chain: NumericChain, values: Mapping[str, float], T: Array,
    parts: Sequence[tuple[int, _State]], unreachable: Sequence[int],
) -> FollowedPath:  # fmt: skip
    names = model.joints
    q = np.full((len(T), len(names)), np.nan)
    jumps: list[int] = []
    for number, end in parts:
        state: _State | None = end
        while state is not None:
            q[number] = state.q
            if state.jumps > (state.before.jumps if state.before is not None else 0):
                jumps.append(number)
            number, state = number - 1, state.before
    there = np.flatnonzero(np.isfinite(q).all(axis=1))
    labels: list[Mapping[str, int]] = [{} for _ in T]
    for place, label in zip(there, branch_labels(model, chain, values, T[there], q[there]), strict=True):
        labels[place] = label
    signs = np.zeros(len(T))
    poses, derivatives = chain.jacobian(_whole(chain, q[there], names, values))
    J = twist_jacobian(poses, derivatives, chain.columns)
    if J.shape[1] == J.shape[2]:
        signs[there] = np.sign(np.linalg.det(J))
    crossings = []
    for k in range(1, len(T)):
        if k not in jumps and signs[k] * signs[k - 1] < 0:
            changed = tuple(name for name in labels[k] if labels[k][name] != labels[k - 1].get(name))
            crossings.append((k, changed))
    return FollowedPath(names, q, tuple(labels), tuple(sorted(jumps)), tuple(crossings), tuple(unreachable))


def branch_labels(
    model: InverseGeometry, chain: NumericChain, values: Mapping[str, float], T: Array, q: Array
) -> list[dict[str, int]]:
    """Return, for each joint with two solutions, which of them it takes: the sign of the derivative of its equation."""
    problem = model.stepped
    numbers: dict[str, float | Array] = dict(values)
    numbers |= {name: T[:, place // 4, place % 4] for place, name in enumerate(problem.entries)}
    numbers |= dict(zip(model.joints, q.T, strict=True))
    labels: list[dict[str, int]] = [{} for _ in q]
    for step in model.steps:
        if not isinstance(step, Step):
            break
        unknown = sum(sign * np.asarray(numbers[name]) for name, sign in step.variable.terms)
        numbers[step.joint] = unknown
        if step.form not in ("sine", "quadratic"):
            continue
        k = [np.broadcast_to(value, len(q)) for value in evaluate_arrays(step.coefficients[0], numbers)]
        sine = step.form == "sine"
        slope = k[0] * np.cos(unknown) - k[1] * np.sin(unknown) if sine else k[1] + 2 * k[2] * unknown
        for label, value in zip(labels, slope, strict=True):
            label[step.joint] = 1 if value >= 0 else -1
    return labels
