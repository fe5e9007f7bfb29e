"""The Jacobian matrix column by column, and a description of its singular positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from robosym.algebra import Expr, evaluate, symbols
from robosym.algebra.generic import generic_values
from robosym.algebra.samples import Array
from robosym.coordinates.numeric_robot import NumericRobot
from robosym.export.derivations.written import DerivationStep, DerivedFormula, formulas_of
from robosym.kinematics import jacobian
from robosym.mechanism import Robot

__all__ = ["jacobian_steps"]

_ROWS = ("V1", "V2", "V3", "W1", "W2", "W3")
_TURNS = (
    "joint {k} is revolute: V = a{k} x (O{n} - O{k}), W = a{k}",
    r"J_{{{k}}} = \begin{{bmatrix}} a_{{{k}}} \times L_{{{k},{n}}} \\ a_{{{k}}} \end{{bmatrix}}",
)
_SLIDES = (
    "joint {k} is prismatic: V = a{k}, W = 0", r"J_{{{k}}} = \begin{{bmatrix}} a_{{{k}}} \\ 0 \end{{bmatrix}}"
)  # fmt: skip
_SHARE = 1e-6  #: a joint whose part of a dependent motion is smaller takes no part in it
_SAMPLES = 721  #: positions of a joint at which a change of sign is looked for
_HALVINGS = 60


def jacobian_steps(robot: Robot, link: int) -> tuple[DerivationStep, ...]:
    """Return the columns of the Jacobian matrix, its determinant, and its singular positions."""
    J = jacobian(robot, link)
    steps: list[DerivationStep] = []
    for place, k in enumerate(J.joints):
        names = [row[place] for row in J.outputs["J"]]
        words, general = _SLIDES if robot.frame(k).joint_type.only_slides else _TURNS
        values = [J.definitions[name] for name in names]
        formulas = formulas_of([f"{row}{k}" for row in _ROWS], values)
        steps.append(
            DerivationStep(
                f"Column of joint {k}", words.format(k=k, n=link), general.format(k=k, n=link), formulas,
                part="" if steps else f"Jacobian matrix of link {link}, in frame {J.frame}",
            )
        )  # fmt: skip
    return (*steps, *_singular_steps(robot, link))


def _singular_steps(robot: Robot, link: int) -> Iterator[DerivationStep]:
    found = jacobian(robot, link).determinant()
    part = "Singular positions"
    value = formulas_of(["DET"], [found.definitions["DET"]])
    if found.always_singular or found.never_singular:
        often = "at every position" if found.always_singular else "at no position"
        yield DerivationStep("Determinant", "", "", value, f"The matrix is singular {often}.", part)
        return
    square = found.shape[0] == found.shape[1]
    yield DerivationStep("Determinant", "" if square else "of J J' or J' J", "", value, part=part)
    for factor, name in ((found.definitions[name], name) for name, _ in found.powers):
        if not any(robot.variable(j) in set(symbols([factor])) for j in robot.tree_joints):
            continue
        formulas: tuple[DerivedFormula, ...] = formulas_of([name], [factor])
        yield DerivationStep(f"Positions where {name} = 0", "", "", formulas, _in_words(robot, link, factor))


def _in_words(robot: Robot, link: int, factor: Expr) -> str:
    """Describe the motion that is lost where a factor vanishes, at a position that is otherwise generic."""
    values = {**generic_values(symbols([factor])), **generic_values(robot.parameters)}
    values |= generic_values(robot.variable(j) for j in robot.tree_joints)
    for name in sorted(set(symbols([factor])) & {robot.variable(j) for j in robot.tree_joints}):
        root = _root(factor, name, values)
        if root is not None:
            break
    else:
        return "No position with this property was found."
    numeric = NumericRobot(robot, {name: values[name] for name in robot.parameters})
    here = {**values, name: root}
    J = numeric.jacobian(here, link)
    joints = list(numeric.movable)
    kernel = np.linalg.svd(J)[2][-1]
    dependent = [j for j, share in zip(joints, kernel, strict=True) if abs(share) > _SHARE]
    where = f"For example at {name} = {root:.4g}: "
    wrist = _wrist(robot, numeric.poses(here), dependent)
    if wrist:
        return where + wrist
    if len(dependent) == 2 and not any(robot.frame(j).joint_type.only_slides for j in dependent):
        return where + f"the axes of joints {dependent[0]} and {dependent[1]} are aligned."
    listed = ", ".join(map(str, dependent[:-1])) + f" and {dependent[-1]}" if len(dependent) > 1 else str(dependent[0])
    if len(dependent) == 1:
        return where + f"joint {listed} does not move link {link}."
    return where + f"the motions of joints {listed} are dependent, and link {link} loses a degree of freedom."


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
