"""Chapters of a book on geometry, inverse geometry, velocities, singular positions and workspace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

import numpy as np

from robosym.algebra.arrays import Array
from robosym.algebra.generic import random_arrays
from robosym.coordinates.numeric_robot import NumericRobot
from robosym.drawing import draw, scene
from robosym.drawing.axes import MapAxis
from robosym.drawing.maps import maps
from robosym.errors import Error, InputError
from robosym.export.book.blocks import (
    BookFigure,
    BookTable,
    Chapter,
    DerivedSteps,
    DisplayedEquation,
    Paragraph,
    Section,
)  # fmt: skip
from robosym.export.derivations.derive import derivation
from robosym.kinematics import direct_geometry, jacobian
from robosym.mechanism import Robot
from robosym.mechanism.end_frame import end_frame
from robosym.solve.inverse_geometry import inverse_geometry
from robosym.solve.loop_geometry import loop_geometry
from robosym.solve.pose_coordinates import platform_pose
from robosym.studies.platform_workspace import workspace
from robosym.studies.reach_plots import plotted

__all__ = [
    "RANK",
    "drawn_pose",
    "end_of",
    "generic_joints",
    "geometry",
    "inverse",
    "loops",
    "platform",
    "velocity",
    "workspace_of_arm",
]

_POSTURES, _CLOSED = 30_000, 1_200
_BINS, _FINE = 48, 31
_SHOWN = 8  #: solutions of a pose that are listed and drawn
_DIGITS = 4
RANK = 1e-9  #: relative size of singular values that are zero
_FLAT = 1e-9  #: extent in m of a direction in which nothing moves


def end_of(robot: Robot) -> int:
    """Return the frame at the end of an arm, or the last one."""
    try:
        return end_frame(robot).number
    except InputError:
        return robot.NL


def generic_joints(robot: Robot, seed: int = 1) -> Array:
    """Return rounded joint positions within the limits; those of a closed robot close its loops."""
    numeric = NumericRobot(robot)
    rng = random_arrays("book of a robot", seed)
    if robot.loops or robot.couplings:
        motors = {name: round(numeric.start[name] + 0.1 * rng.uniform(-1, 1), 2) for name in numeric.motors}
        here = numeric.at(motors)
        return np.array([here[name] for name in robot.joint_names])
    found = []
    for j in numeric.movable:
        low, high = numeric.range_of(j, 0.0)
        low, high = max(low, -1.4), min(high, 1.4)
        found.append(round(low + (high - low) * rng.uniform(0.15, 0.85), 2))
    return np.array(found)


def geometry(robot: Robot) -> Chapter:
    """Return the direct geometric model."""
    chapter = Chapter("Direct geometric model")
    chapter.paragraph(
        "The transformation of each frame relative to its antecedent follows from the parameters of the "
        "description, and the pose of a frame in frame 0 is their product."
    )
    chapter.add(DerivedSteps(derivation(robot, "geometry", end_of(robot))))
    return chapter


def inverse(robot: Robot, numeric: Robot) -> Chapter:
    """Return the inverse geometric model: steps, and all solutions at a pose."""
    chapter = Chapter("Inverse geometric model")
    solver = inverse_geometry(robot)
    branches = len(solver.joints)
    chapter.paragraph(
        "The inverse geometric model (inverse kinematics) gives all joint positions for a pose of the end frame "
        f"with axes s, n, a and origin P. {solver.reason.rstrip('.')}.",
        f"The unknowns are {', '.join(f'${name}$' for name in solver.joints)}." if branches else "",
    )
    chapter.add(DerivedSteps(derivation(robot, "inverse_geometry")))
    chapter.add(*_solutions(numeric))
    return chapter


def _solutions(robot: Robot) -> Iterator[Section | Paragraph | BookTable | BookFigure]:
    """Yield all solutions at a pose, checked by forward substitution."""
    solver = inverse_geometry(robot)
    model = direct_geometry(robot, 0, end_of(robot)).compile()
    found = None
    for seed in range(1, 6):
        q = generic_joints(robot, seed)
        T = np.asarray(model(q=q))
        with suppress(Error):
            found = solver.solve(T)
            if len(found):
                break
    if found is None or not len(found):
        return
    yield Section("All solutions of a pose")
    pose = "; ".join(", ".join(f"{0.0 + round(x, _DIGITS):g}" for x in row) for row in T[:3])
    yield Paragraph(f"The pose with rows [{pose}] (positions in m) has {len(found)} solutions.")
    rows = []
    for k, solution in enumerate(found[:_SHOWN], 1):
        error = float(np.abs(np.asarray(model(q=solution)) - T).max())
        rows.append((str(k), *(f"{value:.4f}" for value in solution), f"{error:.0e}"))
    units = ("m" if robot.frame(j).joint_type.only_slides else "rad" for j in robot.tree_joints)
    head = ("", *(f"${name}$ [{unit}]" for name, unit in zip(robot.joint_names, units, strict=True)), "error")
    yield BookTable(
        head, tuple(rows), "Solutions of the pose; the error is the largest difference of the pose by substitution."
    )
    pictures = []
    for k in _different(robot, np.asarray(found))[:4]:
        solution = found[k]
        drawing = draw(robot, _motors(robot, solution), size=(300, 260), hide=("names", "frames"))
        pictures.append(BookFigure(drawing.svg(ground=False), f"Solution {k + 1}"))
    first, *others = pictures
    yield BookFigure(first.svg, first.caption, 0.45, beside=tuple(others))


def _motors(robot: Robot, q: Array) -> dict[str, float]:
    """Return the position of a drawing: that of the motors of a closed robot."""
    position = dict(zip(robot.joint_names, map(float, q), strict=True))
    bound = robot.loops or robot.couplings
    return {name: position[name] for name in NumericRobot(robot).motors} if bound else position


def _different(robot: Robot, solutions: Array) -> list[int]:
    """Return the solutions in an order in which each differs most from those before it."""
    numeric = NumericRobot(robot)
    poses = [numeric.poses(numeric.at(_motors(robot, q))) for q in solutions]
    origins = np.array(poses)[:, :, :3, 3].reshape(len(poses), -1)
    chosen = [0]
    while len(chosen) < len(solutions):
        apart = np.linalg.norm(origins[:, None] - origins[chosen][None], axis=-1).min(axis=1)
        apart[chosen] = -1
        chosen.append(int(np.argmax(apart)))
    return sorted(chosen[:4]) + chosen[4:]


def velocity(robot: Robot, numeric: Robot) -> Chapter:
    """Return the Jacobian matrix, its determinant, the singular positions, and an ellipsoid of velocities."""
    chapter = Chapter("Velocities and singular positions")
    chapter.paragraph(
        "Column k of the Jacobian matrix is the velocity of the end frame for a unit velocity of joint k. Positions in "
        "which its determinant is zero are singular: some motion of the end frame is impossible there."
    )
    chapter.add(DerivedSteps(derivation(robot, "jacobian", end_of(robot))))
    chapter.add(*_ellipsoid(numeric))
    return chapter


def _ellipsoid(robot: Robot) -> Iterator[Section | Paragraph | BookFigure]:
    q = generic_joints(robot, 2)
    J = np.asarray(jacobian(robot, end_of(robot)).compile()(q=q))[:3]
    axes, sizes, _ = np.linalg.svd(J)
    yield Section("Ellipsoid of velocities")
    listed = ", ".join(f"{x:.3f}" for x in sizes)
    yield Paragraph(
        "Joint velocities of unit norm (1 rad/s or 1 m/s) move the end frame with velocities inside an ellipsoid. At "
        f"q = ({', '.join(f'{x:g}' for x in q)}) its half axes are {listed} m/s."
    )
    picture = draw(robot, _motors(robot, q), size=(520, 400), hide=("frames",))
    svg = picture.with_ellipsoid(end_of(robot), axes[:, : len(sizes)] * sizes).svg(ground=False)
    yield BookFigure(svg, "Ellipsoid of velocities of the end frame; its size is scaled to the picture.", 0.6)


def _postures(robot: Robot) -> Array:
    """Return random positions of all joints; closed loops are closed for random motors."""
    numeric = NumericRobot(robot)
    rng = random_arrays("book of a robot")
    if robot.couplings and not robot.loops:
        return np.array([generic_joints(robot, seed) for seed in range(_CLOSED)])
    if not robot.loops:
        ranges = np.array([numeric.range_of(j, 0.0) for j in numeric.movable])
        return np.asarray(rng.uniform(ranges[:, 0], ranges[:, 1], (_POSTURES, len(ranges))))
    solver = loop_geometry(robot)
    motors = rng.uniform(-np.pi, np.pi, (_CLOSED, len(solver.known)))
    found = [one[0] for one in solver.solve(motors) if len(one)]
    return np.array(found).reshape(-1, len(robot.joint_names))


def workspace_of_arm(robot: Robot) -> Chapter:
    """Return the reached positions of the end frame and its manipulability over a section."""
    chapter = Chapter("Workspace and manipulability")
    q = _postures(robot)
    P = np.asarray(direct_geometry(robot, 0, end_of(robot)).compile()(q=q))[:, :3, 3]
    J = np.asarray(jacobian(robot, end_of(robot)).compile()(q=q))[:, :3]
    sizes = np.linalg.svd(J, compute_uv=False)
    rank = int((sizes.max(axis=0) > RANK * sizes.max()).sum())
    measure = sizes[:, :rank].prod(axis=1)
    flat = [k for k in range(3) if np.ptp(P[:, k]) < _FLAT]
    if flat:
        across, up = (k for k in range(3) if k not in flat[:1])
        x, y, names = P[:, across], P[:, up], ("xyz"[across], "xyz"[up])
        where = f"in the plane of {names[0]} and {names[1]}"
    else:
        x, y, names = np.hypot(P[:, 0], P[:, 1]), P[:, 2], ("distance from the z axis", "z")
        where = "over the distance from the axis z of frame 0 and the height"
    edges = [np.linspace(v.min(), v.max(), _BINS + 1) for v in (x, y)]
    cells = tuple(np.clip(np.digitize(v, e) - 1, 0, _BINS - 1) for v, e in zip((x, y), edges, strict=True))
    table = np.full((_BINS, _BINS), np.nan)
    order = np.argsort(measure)
    table[cells[0][order], cells[1][order]] = measure[order]
    middle = [(e[1:] + e[:-1]) / 2 for e in edges]
    axes = [MapAxis(name, values, "m") for name, values in zip(names, middle, strict=True)]
    unit = {1: "m/rad", 2: "m²/rad²", 3: "m³/rad³"}[rank] if all(
        not robot.frame(j).joint_type.only_slides for j in robot.tree_joints
    ) else ""  # fmt: skip
    canvas = maps("", axes[0], axes[1], {"": table}, f"manipulability {f'[{unit}]' if unit else ''}")
    limits = any(robot.joint(j).limits.lower is not None for j in robot.tree_joints)
    chapter.paragraph(
        f"{len(q):,} random positions of the joints {'within their limits' if limits else 'within one turn'} "
        f"give the reached positions of the end frame, drawn {where}. The color is the largest manipulability "
        "found in a cell: the product of the half axes of the ellipsoid of velocities, which is zero in singular "
        "positions."
    )
    chapter.add(
        BookFigure(
            canvas.svg(), "Reached positions of the end frame and their largest manipulability.", 0.82 if flat else 0.62
        )
    )
    corner = ", ".join(f"{c:.3f}" for c in np.abs(P).max(axis=0))
    chapter.paragraph(
        "The greatest distance of the end frame from the origin of frame 0 is "
        f"{np.linalg.norm(P, axis=1).max():.3f} m; its largest coordinates are {corner} m."
    )
    return chapter


def loops(robot: Robot) -> Chapter:
    """Return the closure of the loops."""
    chapter = Chapter("Closed loops")
    chapter.paragraph("The passive joints of each loop follow from the driven ones, because the loop is closed.")
    chapter.add(DerivedSteps(derivation(robot, "loops")))
    return chapter


def drawn_pose(robot: Robot) -> Array:
    """Return the pose (12,) of the platform in the picture of a parallel robot."""
    T = scene(robot).poses[robot.modules[0].end]
    try:
        return np.asarray(platform_pose(robot, pose=np.r_[T[:3, :3].ravel(), T[:3, 3]]))
    except InputError:
        return np.asarray(platform_pose(robot))  # the reference position


def platform(robot: Robot, values: Mapping[str, float]) -> Chapter:
    """Return the geometry of a parallel robot: motors from the pose, the poses for motors, a workspace."""
    chapter = Chapter("Geometry of the platform")
    legs = inverse_geometry(robot)
    numeric = robot.with_values(dict(values))
    rest = drawn_pose(numeric)
    chapter.paragraph(
        "The pose of the platform is its rotation matrix R and the position P of its origin in frame 0. Each leg "
        "connects the base with the platform, and its joints follow from the pose, leg by leg."
    )
    chapter.add(DisplayedEquation(r"A_i B_i = P + R\,{}^{p}B_i - A_i"))
    chapter.paragraph(
        "A leg i joins the point A of the base with the point B of the platform, whose coordinates in the frame of the "
        "platform are constant."
    )
    solver = inverse_geometry(numeric)
    rows = []
    shifts = ((0.0, 0.0, 0.0), (0.05, 0.0, 0.0), (0.0, 0.05, 0.0), (0.0, 0.0, 0.05), (0.04, -0.03, 0.02))
    for shift in shifts:
        pose = rest.copy()
        pose[9:] += shift
        with suppress(Error):
            motors = np.asarray(solver.solve(pose))
            rows.append((*(f"{x:.3f}" for x in pose[9:]), *(f"{x:.5f}" for x in motors)))
    unit = ["m" if robot.frame(j).joint_type.only_slides else "rad" for j in robot.motors]
    head = ("x [m]", "y [m]", "z [m]", *(f"${n}$ [{u}]" for n, u in zip(robot.motor_names, unit, strict=True)))
    chapter.add(BookTable(head, tuple(rows), "Motor positions for poses in the orientation of the reference pose.", 3))
    operations = legs.operations
    chapter.paragraph(f"The model of all legs takes {operations}.")
    with suppress(Error):
        size = 0.35 * float(np.linalg.norm(rest[9:])) or 0.3
        x, y = (np.linspace(rest[k] - size, rest[k] + size, _FINE) for k in (9, 10))
        reach = workspace(numeric, x=x, y=y, pose=rest)
        chapter.add(Section("Workspace"))
        chapter.paragraph(
            "Positions that the platform reaches in the orientation and at the height of the reference pose; the "
            "color is the dexterity, the inverse condition number of the Jacobian matrix."
        )
        chapter.add(BookFigure(plotted(reach).svg(), "Dexterity over x and y.", 0.8))
    return chapter
