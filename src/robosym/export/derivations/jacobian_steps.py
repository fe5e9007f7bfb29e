"""The Jacobian matrix column by column, and a description of its singular positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from robosym.algebra import Expr, evaluate, symbols
from robosym.algebra.generic import generic_values
from robosym.algebra.samples import Array
from robosym.algebra.textbook import textbook
from robosym.coordinates.numeric_robot import NumericRobot
from robosym.drawing.scene import substitute_values
from robosym.export.derivations.written import (
    DerivationStep,
    DerivedFormula,
    DerivedMatrix,
    PosedRobot,
    formulas_of,
)  # fmt: skip
from robosym.kinematics import Jacobian, jacobian
from robosym.mechanism import Robot
from robosym.mechanism.path import Poses
from robosym.model import Workspace

__all__ = ["determinant_steps", "jacobian_steps"]

_ROWS = ("V1", "V2", "V3", "W1", "W2", "W3")
_TURNS = (
    "joint {k} is revolute: V = a{k} x (O{n} - O{k}), W = a{k}",
    r"J_{{{k}}} = \begin{{bmatrix}} a_{{{k}}} \times L_{{{k},{n}}} \\ a_{{{k}}} \end{{bmatrix}}",
)
_SLIDES = (
    "joint {k} is prismatic: V = a{k}, W = 0", r"J_{{{k}}} = \begin{{bmatrix}} a_{{{k}}} \\ 0 \end{{bmatrix}}"
)  # fmt: skip
_SQUARE = ("DET = det J", r"\det J")
_WIDE = ("DET = det(J J'), because there are more joints than rows", r"\det\left(J\,J^T\right)")
_TALL = ("DET = det(J' J), because there are fewer joints than rows", r"\det\left(J^T J\right)")
_SHARE = 1e-6  #: a joint whose part of a dependent motion is smaller takes no part in it
_UNEQUAL = 0.13  #: relative difference of lengths that are equal in a drawing
_SAMPLES = 721  #: positions of a joint at which a change of sign is looked for
_HALVINGS = 60
_SWEEPS, _PLACES = 24, 25  #: searches along all joints, and places of each


def jacobian_steps(robot: Robot, link: int) -> tuple[DerivationStep, ...]:
    """Return the columns of the Jacobian matrix, its determinant, and its singular positions."""
    J = jacobian(robot, link)
    if robot.loops or robot.couplings:
        return (*_active_columns(robot, J, link), *determinant_steps(robot, link))
    steps: list[DerivationStep] = []
    with Workspace(robot, ("q", "parameters")) as work:
        poses, graph = Poses(robot, work.value), work.graph
        for place, k in enumerate(J.joints):
            slides = robot.frame(k).joint_type.only_slides
            words, general = _SLIDES if slides else _TURNS
            axis = [graph.taken(x) for x in poses(J.frame, k).A.z_axis]
            arm = [graph.taken(b - a) for a, b in zip(poses(J.frame, k).P, poses(J.frame, link).P, strict=True)]
            geometry = [(f"a{k}", axis)] if slides else [(f"a{k}", axis), (f"L{k}_{link}", arm)]
            vectors = (DerivedMatrix(name, _vector_name(name), _column(entries)) for name, entries in geometry)
            names = [row[place] for row in J.outputs["J"]]
            values = [J.definitions[name] for name in names]
            formulas = formulas_of([f"{row}{k}" for row in _ROWS], values)
            steps.append(
                DerivationStep(
                    f"Column of joint {k}", words.format(k=k, n=link), general.format(k=k, n=link),
                    (*vectors, *formulas), part="" if steps else f"Jacobian matrix of link {link}, in frame {J.frame}",
                )
            )  # fmt: skip
    return (*steps, *determinant_steps(robot, link))


def _active_columns(robot: Robot, J: Jacobian, link: int) -> Iterator[DerivationStep]:
    """Yield the columns of the active joints of a closed robot, which move the passive ones, too."""
    for place, k in enumerate(J.joints):
        names = [row[place] for row in J.outputs["J"]]
        formulas = formulas_of([f"{row}{k}" for row in _ROWS], [J.definitions[name] for name in names])
        part = "" if place else f"Jacobian matrix of link {link} for the active joints, in frame {J.frame}"
        words = "" if place else (
            "A column contains the motion of the passive joints that the active one moves: "
            "their rates follow from the closed loops."
        )  # fmt: skip
        yield DerivationStep(f"Column of joint {k}", "", "", formulas, words, part)


def _vector_name(name: str) -> str:
    letter, index = name[0], name[1:].replace("_", ",")
    return f"{letter}_{{{index}}}"


def _column(entries: Sequence[Expr]) -> tuple[tuple[Expr, ...], ...]:
    return tuple((entry,) for entry in textbook(entries))


def determinant_steps(robot: Robot, link: int) -> tuple[DerivationStep, ...]:
    """Return the determinant of the Jacobian matrix, and each singular position described and drawn."""
    steps = list(_singular_steps(robot, link, None, "Singular positions"))
    rows = _linear_rows(robot, link)
    if rows:
        part = f"Singular positions of the point O{link}, from rows {', '.join(f'V{row}' for row in rows)}"
        steps += _singular_steps(robot, link, rows, part)
    return tuple(steps)


def _linear_rows(robot: Robot, link: int) -> tuple[int, ...]:
    """Return as many rows of the linear velocity as there are joints, if up to three joints position a point."""
    joints = jacobian(robot, link).joints
    if len(joints) > 3 or robot.loops or robot.couplings:
        return ()
    lengths = {**generic_values(robot.parameters), **_lengths(robot)}
    numeric = NumericRobot(robot, {name: lengths[name] for name in robot.parameters})
    J = numeric.jacobian(generic_values(robot.variable(j) for j in robot.tree_joints), link)[:3]
    chosen: list[int] = []
    for row in range(3):
        if np.linalg.matrix_rank(J[[*chosen, row]], _SHARE) == len(chosen) + 1:
            chosen.append(row)
    return tuple(row + 1 for row in chosen) if len(chosen) == len(joints) else ()


def _singular_steps(robot: Robot, link: int, chosen: Sequence[int] | None, part: str) -> Iterator[DerivationStep]:
    found = jacobian(robot, link, rows=chosen).determinant()
    rows, columns = found.shape
    square = rows == columns
    value = formulas_of(["DET"], [found.definitions["DET"]])
    words, general = _SQUARE if square else _TALL if rows > columns else _WIDE
    if found.always_singular or found.never_singular:
        often = "always singular: the determinant is zero at every position" if found.always_singular else (
            "never singular: the determinant is zero at no position"
        )  # fmt: skip
        yield DerivationStep("Determinant", words, general, value, f"The matrix is {often}.", part)
        return
    yield DerivationStep("Determinant", words, general, value, part=part)
    moving = {robot.variable(j) for j in robot.tree_joints}
    for factor, name in ((found.definitions[name], name) for name, _ in found.powers):
        if not moving & set(symbols([factor])):
            continue
        formulas: tuple[DerivedFormula, ...] = formulas_of([name], [factor])
        if robot.loops or robot.couplings:
            note = f"The active joints cannot move link {link} in every direction there."
            yield DerivationStep(f"Positions where {name} = 0", "", "", formulas, note)
            continue
        note, posture = _in_words(robot, link, factor, chosen)
        yield DerivationStep(f"Positions where {name} = 0", "", "", formulas, note, posture=posture)


def _in_words(
    robot: Robot, link: int, factor: Expr, chosen: Sequence[int] | None = None
) -> tuple[str, PosedRobot | None]:
    """Describe the motion that is lost where a factor vanishes, at a position that is otherwise generic."""
    lengths = _lengths(robot)
    values = {**generic_values(symbols([factor])), **generic_values(robot.parameters), **lengths}
    values |= {
        name: round(value, 2)
        for name, value in generic_values(robot.variable(j) for j in robot.tree_joints).items()
    }  # fmt: skip
    moving = sorted(set(symbols([factor])) & {robot.variable(j) for j in robot.tree_joints})
    for name in moving:
        root = _root(factor, name, values)
        if root is not None:
            found = {name: root}
            break
    else:
        found = _least(factor, moving, values)
    if not found:
        return "No position with this property was found.", None
    numeric = NumericRobot(robot, {name: values[name] for name in robot.parameters})
    here = {**values, **found}
    J = numeric.jacobian(here, link)
    J = J if chosen is None else J[[row - 1 for row in chosen]]
    joints = list(numeric.movable)
    kernel = np.linalg.svd(J)[2][-1]
    dependent = [j for j, share in zip(joints, kernel, strict=True) if abs(share) > _SHARE]
    poses = numeric.poses(here)
    at = {robot.variable(j): here[robot.variable(j)] for j in joints}
    where = ", ".join(f"{name} = {0.0 + round(value, 4):.4g}" for name, value in found.items())
    note = f"For example at {where}: "
    note += (
        _lost(robot, numeric, here, link, dependent) if chosen is None else _point_lost(robot, poses, link, dependent)
    )
    return note, PosedRobot(robot, at, lengths)


def _lengths(robot: Robot) -> dict[str, float]:
    """Return the lengths of the drawing, made unequal: equal ones are a special geometry."""
    found: dict[str, float] = {}
    for name, value in substitute_values(robot, {}).items():
        if name in robot.parameters:
            while any(abs(value - other) < _SHARE for other in found.values()):
                value = round(value * (1 + _UNEQUAL), 6)
            found[name] = value
    return found


def _lost(robot: Robot, numeric: NumericRobot, here: Mapping[str, float], link: int, dependent: Sequence[int]) -> str:
    """Describe the dependent joints at a singular position."""
    poses = numeric.poses(here)
    wrist = _wrist(robot, poses, dependent)
    if wrist:
        return wrist
    slides = [j for j in dependent if robot.frame(j).joint_type.only_slides]
    listed = ", ".join(map(str, dependent[:-1])) + f" and {dependent[-1]}" if len(dependent) > 1 else str(dependent[0])
    if len(dependent) == 2:
        one, other = (poses[j][:3, 2] for j in dependent)
        along = np.linalg.norm(np.cross(one, other)) < _SHARE
        if not slides:
            return f"the axes of joints {listed} are {'aligned' if along else 'dependent'}."
        if len(slides) == 2 and along:
            return f"the axes of the prismatic joints {listed} are parallel."
    if len(dependent) == 1:
        return f"joint {listed} does not move link {link}."
    axes = np.array([poses[j][:3, 2] for j in dependent])
    if not slides and np.linalg.matrix_rank(axes, _SHARE) == 1:
        if len(dependent) > 3:
            return f"the axes of joints {listed} are parallel."
        return f"the parallel axes of joints {listed} lie in a plane: the arm is stretched or folded."
    if len(numeric.movable) < 6:
        return f"the motions of joints {listed} are dependent, and link {link} loses a degree of freedom."
    wrench = np.linalg.svd(numeric.jacobian(here, link))[0][:, -1]  # a force and moment that no joint feels
    force, moment = wrench[:3], wrench[3:]
    if np.linalg.norm(force) < _SHARE:
        return f"the motions of joints {listed} are dependent: no joint turns link {link} about one of the directions."
    if abs(force @ moment) < _SHARE * float(force @ force):
        return _met_by_a_line(poses, dependent, force, link)
    return f"the motions of joints {listed} are dependent, and link {link} loses a degree of freedom."


def _point_lost(robot: Robot, poses: Array, link: int, dependent: Sequence[int]) -> str:
    """Describe the dependent joints at a position where a point cannot move in some direction."""
    turning = [j for j in dependent if robot.frame(j).joint_type.only_turns]
    axes = np.array([poses[j][:3, 2] for j in turning])
    if len(turning) == len(dependent) > 1 and np.linalg.matrix_rank(axes, _SHARE) == 1:
        return f"O{link} lies in the plane of the parallel {_axes(turning)}: the arm is stretched or folded."
    if len(dependent) == 1:
        return f"O{link} lies on the axis of joint {dependent[0]}."
    return f"{_axes(dependent).replace('axes', 'joints')} move O{link} in dependent directions."


def _met_by_a_line(poses: Array, joints: Sequence[int], force: Array, link: int) -> str:
    """Describe the line of a force that no joint feels: it meets each axis or is parallel to it."""
    parallel = [j for j in joints if np.linalg.norm(np.cross(poses[j][:3, 2], force)) < _SHARE]
    met = [j for j in joints if j not in parallel]
    line = f"a line parallel to {_axes(parallel)} meets {_axes(met)}" if parallel else f"one line meets {_axes(met)}"
    return f"{line}: no joint moves link {link} along this line."


def _axes(joints: Sequence[int]) -> str:
    if len(joints) == 1:
        return f"axis {joints[0]}"
    return f"axes {', '.join(map(str, joints[:-1]))} and {joints[-1]}"


def _wrist(robot: Robot, poses: Array, dependent: Sequence[int]) -> str:
    """Describe a singularity by the center of a spherical wrist, the common point of the last three axes."""
    turning = [j for j in robot.tree_joints if robot.frame(j).joint_type.only_turns]
    last = turning[-3:]
    rest = [j for j in dependent if j not in last]
    if len(last) < 3 or not set(last) < set(dependent) or any(j not in turning for j in rest):
        return ""
    axes = {j: (poses[j][:3, 3], poses[j][:3, 2]) for j in turning}
    squares = [np.eye(3) - np.outer(axes[j][1], axes[j][1]) for j in last]
    center = np.linalg.lstsq(
        np.vstack(squares), np.hstack([m @ axes[j][0] for m, j in zip(squares, last, strict=True)]), rcond=None
    )[0]

    def apart(j: int) -> float:
        point, axis = axes[j]
        return float(np.linalg.norm(np.cross(center - point, axis)))

    if max(apart(j) for j in last) > _SHARE:
        return ""
    named = f"the center of the wrist (axes {last[0]}, {last[1]}, {last[2]})"
    if len(rest) == 1 and apart(rest[0]) < _SHARE:
        return f"{named} lies on the axis of joint {rest[0]}."
    if len(rest) == 2 and np.linalg.norm(np.cross(axes[rest[0]][1], axes[rest[1]][1])) < _SHARE:
        one, other = (axes[j][0] for j in rest)
        normal = np.cross(other - one, axes[rest[0]][1])
        if abs((center - one) @ normal) < _SHARE * float(np.linalg.norm(normal)):
            plane = f"the plane of the parallel axes {rest[0]} and {rest[1]}"
            return f"{named} lies in {plane}: the arm is stretched or folded."
    return ""


def _least(factor: Expr, names: Sequence[str], values: Mapping[str, float]) -> dict[str, float]:
    """Return a zero of a factor that is never negative, by searches along one joint after the other; {} if none."""
    here = {name: values[name] for name in names}

    def at(name: str, x: float) -> float:
        return abs(float(evaluate([factor], {**values, **here, name: x})[0]))

    scale, span = max(at(names[0], here[names[0]]), _SHARE), np.pi
    for _ in range(_SWEEPS):
        for name in names:
            places = np.append(
                here[name] + np.linspace(-span, span, _PLACES), np.round(2 * here[name] / np.pi) * np.pi / 2
            )
            here[name] = float(min(places, key=lambda x: at(name, float(x))))
        span *= 0.6
    return here if at(names[0], here[names[0]]) < _SHARE * scale else {}


def _root(factor: Expr, name: str, values: dict[str, float]) -> float | None:
    """Return a zero of the factor in one joint variable, the smallest in magnitude."""

    def at(x: float) -> float:
        return float(evaluate([factor], {**values, name: x})[0])

    places: Array = np.linspace(-np.pi, np.pi, _SAMPLES)
    heights = [at(float(x)) for x in places]
    roots = []
    for low, high, a, b in zip(places, places[1:], heights, heights[1:], strict=False):
        if a == 0:
            roots.append(float(low))
        elif a * b < 0:
            one, other = float(low), float(high)
            for _ in range(_HALVINGS):
                middle = (one + other) / 2
                one, other = (middle, other) if at(one) * at(middle) > 0 else (one, middle)
            roots.append(one)
    return min(roots, key=abs, default=None)
