"""The basic Jacobian matrix as a product of three: rotation, shift and iJr,j (guide 2.4.3 to 2.4.5 and 5.6.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from robosym.algebra import Expr, Graph
from robosym.algebra.count import count
from robosym.coordinates.accepts import ALL, accepts
from robosym.coordinates.constraints import constraints_of
from robosym.errors import InputError
from robosym.kinematics.determinant import Factorized, determinant, inverse_of
from robosym.kinematics.platform_jacobian import platform_jacobian, series_jacobian
from robosym.mechanism import Robot
from robosym.mechanism.added_frame import tool_frame
from robosym.mechanism.edit import with_reference
from robosym.mechanism.end_frame import frame_words
from robosym.mechanism.needs import need_base
from robosym.mechanism.path import WORLD, Poses, check_frame, check_link, moving_joints, path, simplest_frames
from robosym.model import Layout, Model, Workspace
from robosym.model.naming import entry_name
from robosym.spatial import Mat3, Vec3

if TYPE_CHECKING:
    import sympy

__all__ = ["Factors", "Jacobian", "column_joints", "jacobian", "joint_columns"]

_ALL_ROWS = (1, 2, 3, 4, 5, 6)


class Factors(NamedTuple):
    """J = rotation * shift * core."""

    rotation: Model  #: output "R": rA_i twice on the diagonal
    shift: Model  #: output "L": unit matrix with -iL_j,n above the diagonal
    core: Model  #: output "K": iJr,j


@dataclass(frozen=True, eq=False, repr=False)
class Jacobian(Model):
    """The model of a Jacobian matrix (output "J": rows V1 V2 V3 W1 W2 W3, a column for each of `joints`)."""

    link: int = 0
    projection: int = 0  #: i of iJr,j
    intermediate: int = 0  #: j of iJr,j
    frame: int = 0  #: frame in which the product is expressed
    joints: tuple[int, ...] = ()  #: those from the base to the link, or the ones chosen
    rows: tuple[int, ...] = _ALL_ROWS
    active: bool = False  #: whether the columns of a closed robot are those of the motors, which move other joints too

    def columns(self, poses: Poses, i: int, j: int, graph: Graph) -> list[list[Expr]]:
        """Return the columns of iJr,j over the graph of `poses`, each with three linear and three angular entries."""
        return joint_columns(poses, self.link, (i, j), graph, self.joints, self.active)

    @property
    def factors(self) -> Factors:
        """The rotation, the shift and iJr,j, whole rows; the product of the three is J."""
        wanted = {"R": _ALL_ROWS, "L": _ALL_ROWS, "K": range(1, len(self.joints) + 1)}
        return Factors(*(self._part(name, columns) for name, columns in wanted.items()))

    def _part(self, group: str, columns: Iterable[int]) -> Model:
        layout = tuple(tuple(entry_name(group, r, c) for c in columns) for r in _ALL_ROWS)
        about = {
            "R": "rotation of velocities from the projection frame, 6x6",
            "L": "shift of velocities from the intermediate frame to the link, 6x6",
            "K": "Jacobian matrix of the intermediate frame in the projection frame: J = R L K",
        }
        return replace(self.plain(), title=f"{self.title}: {group}", outputs={group: layout}, about=about)

    def part(self, rows: Iterable[int] | None = None, joints: Iterable[int] | None = None) -> Jacobian:
        """Return the Jacobian with some rows (1..6) and the columns of some joints."""
        found: Jacobian = jacobian(
            self._robot, self.link, self.projection, self.intermediate, frame=self.frame,
            rows=self.rows if rows is None else rows, joints=self.joints if joints is None else joints,
            active=self.active,
        )  # fmt: skip
        return found

    @property
    def _robot(self) -> Robot:
        assert self.robot is not None
        return self.robot

    def determinant(self) -> Factorized:
        """Return the factorized determinant, of J J^T or J^T J if J is not square."""
        need_base(self._robot, "the determinant of a Jacobian matrix", "fixed")
        return determinant(self)

    def singularities(self) -> tuple[sympy.Expr, ...]:
        """Return the factors of the determinant whose zeros are the singular positions."""
        return self.determinant().singularities()

    def inverse(self) -> Model:
        """Return the inverse of a square Jacobian (output "Ji"), block by block if it has zero blocks (2.9.2)."""
        need_base(self._robot, "the inverse of a Jacobian matrix", "fixed")
        return inverse_of(self)


def _words(robot: Robot, link: int, frame: int, rows: Sequence[int], joints: Sequence[int]) -> str:
    named = " ".join(("V1", "V2", "V3", "W1", "W2", "W3")[r - 1] for r in rows)
    columns = (f"{j} ({name})" if (name := robot.joint(j).name) else str(j) for j in joints)
    return (
        f"rows {named}: velocity of the origin of {frame_words(robot, link)} (m/s) and of its rotation (rad/s), in "
        f"{frame_words(robot, frame)}; columns: joints {' '.join(columns)}"
    )


@accepts(
    "floating", motors=True, platform="modes", modules="modes",
    variants={"platform": platform_jacobian, "modules": series_jacobian}, contacts=ALL,
)  # fmt: skip
def jacobian(
    robot: Robot,
    link: int | str | None = None,
    projection: int | str | None = None,
    intermediate: int | str | None = None,
    *,
    frame: int | str | None = None,
    rows: Iterable[int] | None = None,
    joints: Iterable[int | str] | None = None,
    active: bool | None = None,
    reference: Mapping[str, float] | None = None,
    tool: object = None,
    modes: object = None,
) -> Any:
    """Return J of [V; W] = J q': linear velocity of the origin of a frame and its angular velocity.

    A base that moves adds the group "base": [V; W] = J q' + base [W0; V0], with the velocity of the base, angular, then
    linear, in frame 0. For a robot with a platform, the model returns the inverse Jacobian matrix "Ji" of its motors.

    Parameters
    ----------
    robot
        Robot of any structure.
    link
        Link whose velocity is computed. Default: the end of the arm, found by its name (tool0, flange, ...) or by the
        structure. Not for a robot with a platform.
    projection
        Projection frame i of iJr,j. Default: the one with the fewest operations.
    intermediate
        Intermediate frame j of iJr,j. Default: the one with the fewest operations.
    frame
        Frame in which the velocity is expressed. Default: the projection frame if given, else frame 0.
    rows
        Rows of the Jacobian, 1 to 3 linear and 4 to 6 angular velocity. Default: all six.
    joints
        Columns of the Jacobian by joint number or name. Default: all.
    active
        Whether the columns for a closed robot are those of its active joints (default). Otherwise there is one column
        per joint of the equivalent tree.
    reference
        Joint positions that select the assembly mode of a closed robot. Default: the position in the description.
    tool
        Pose of a tool frame in that frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.
    modes
        Branch of each leg of a parallel robot, from 0. Default: the branches of the reference position.

    Returns
    -------
    Jacobian
        Model with output "J" (rows, joints): m/s and rad/s per unit of joint rate; `.determinant()` and `.inverse()`.

    Raises
    ------
    InputError
        If a frame does not exist, or the robot is not supported.

    Examples
    --------
    >>> import robosym as rs
    >>> J = rs.jacobian(rs.load("rx90"))
    >>> J.compile()(q=[0.1] * 6, parameters={"D3": 0.45, "RL4": 0.45}).shape
    (6, 6)
    """
    robot, link = tool_frame(robot, link, tool, "link")
    link = check_link(robot, link)
    if not moving_joints(robot, path(robot, 0, link)[1]):
        raise InputError(
            f"{robot.name}: {frame_words(robot, link)} is fixed to the base: expected a frame that a joint moves"
        )
    if active and not robot.constrained:
        raise InputError(f"active: {robot.name} has no loops: all its joints are independent")
    active = robot.constrained if active is None else active
    if reference is not None:
        robot = with_reference(robot, reference)
    wanted = None if joints is None else [robot.joint_number(joint, "joints") for joint in joints]
    chosen = _choice("joints", wanted, column_joints(robot, link, active))
    chosen_rows = _choice("rows", rows, _ALL_ROWS)
    projection, intermediate, frame = (
        given if given is None else check_frame(robot, given, WORLD) for given in (projection, intermediate, frame)
    )
    if frame is None:
        frame = 0 if projection is None else projection
    return _model(robot, link, (projection, intermediate), frame, chosen_rows, chosen, active)


def _model(
    robot: Robot, link: int, core: tuple[int | None, int | None], frame: int, rows: tuple[int, ...],
    joints: tuple[int, ...], active: bool,
) -> Jacobian:  # fmt: skip
    """Return the rotation R, the translation L, iJr,j as K, and J as their product or directly if that is cheaper."""
    world = ("base_orientation",) if WORLD in (frame, *core) else ()
    with Workspace(robot, ("q", *world, "parameters")) as work:
        poses, zero = Poses(robot, work.value, work.define), work.graph.zero
        i, j = simplest_frames(poses, link, *core, work.graph.one)
        A = poses(frame, i).A
        hat = _minus_hat(poses.shift(i, j, link))
        work.matrix("R", _blocks(A, _NONE, _NONE, A, zero))
        work.matrix("L", _blocks(_UNIT, hat, _NONE, _UNIT, zero))
        K = joint_columns(poses, link, (i, j), work.graph, joints, active)
        work.matrix("K", [[column[r] for column in K] for r in range(6)])
        halves = [(Vec3(*column[:3]), Vec3(*column[3:])) for column in K]
        product = [[*(A @ (linear + hat @ angular)), *(A @ angular)] for linear, angular in halves]
        direct = joint_columns(poses, link, (frame, link), work.graph, joints, active)
        forms: list[list[list[Expr]]] = [
            [[zero + column[r - 1] for column in found] for r in rows] for found in (product, direct)
        ]
        cheaper = min(forms, key=lambda form: count(entry for row in form for entry in row).total)
        outputs: dict[str, Layout] = {"J": work.matrix("J", cheaper, rows)}
        about = {"J": _words(robot, link, frame, rows, joints)}
        if robot.base.kind != "fixed":  # velocity of the link from that of frame 0: angular, then linear
            seen, P = poses(frame, 0).A, poses(0, link).P
            carried = _blocks(seen @ _minus_hat(P), seen, seen, _NONE, zero)
            outputs["base"] = work.matrix("JB", [carried[r - 1] for r in rows], rows)
            about["base"] = "the same of the velocity of the base in frame 0: angular, then linear"
        return work.model(
            "jac", f"Jacobian matrix of link {link}", outputs, Jacobian,
            link=link, projection=i, intermediate=j, frame=frame, joints=joints, rows=rows, active=active, about=about,
        )  # fmt: skip


def column_joints(robot: Robot, link: int, active: bool) -> tuple[int, ...]:
    """Return the joints with a column in the Jacobian of a link: the active ones, or all on its path."""
    return constraints_of(robot).active if active else tuple(moving_joints(robot, path(robot, 0, link)[1]))


def joint_columns(
    poses: Poses, link: int, frames: tuple[int, int], graph: Graph, wanted: Sequence[int], active: bool
) -> list[list[Expr]]:
    """Return the columns of iJr,j of a link for `frames` (i, j), one per joint in `wanted`.

    The column of each active joint includes those of the passive joints, weighted by W (2.39).
    """
    robot = poses.robot
    if not active:
        return [_column(poses, frames, k, graph.zero) for k in wanted]
    constraints = constraints_of(robot)
    joints = moving_joints(robot, path(robot, 0, link)[1])
    if any(j in constraints.cut for j in joints):
        raise InputError(f"frame {link} is on a virtual link of a cut joint: expected a link of the tree")
    W = constraints.equations(poses, graph).solution()
    columns: list[list[Expr]] = [[graph.zero] * 6 for _ in wanted]
    for j in joints:
        own = _column(poses, frames, j, graph.zero)
        row = W[constraints.passive.index(j)] if j in constraints.passive else None
        for n, motor in enumerate(wanted):
            share = int(j == motor) if row is None else row[constraints.active.index(motor)]
            columns[n] = [total + share * entry for total, entry in zip(columns[n], own, strict=True)]
    return columns


def _column(poses: Poses, frames: tuple[int, int], k: int, zero: Expr) -> list[Expr]:
    return [zero + entry for part in poses.column(*frames, k) for entry in part]


_UNIT, _NONE = Mat3.identity(), Mat3.of(*[0] * 9)


def _minus_hat(P: Vec3) -> Mat3:
    """Return the matrix that maps w to w x P."""
    return Mat3.of(0, P.z, -P.y, -P.z, 0, P.x, P.y, -P.x, 0)


def _blocks(a: Mat3, b: Mat3, c: Mat3, d: Mat3, zero: Expr) -> list[list[Expr]]:
    """Return the block matrix [a b; c d]."""
    pairs = [*zip(a.rows, b.rows, strict=True), *zip(c.rows, d.rows, strict=True)]
    return [[zero + entry for entry in (*left, *right)] for left, right in pairs]


def _choice(what: str, wanted: Iterable[int] | None, there: Sequence[int]) -> tuple[int, ...]:
    chosen = tuple(there) if wanted is None else tuple(wanted)
    for one in chosen:
        if one not in there:
            raise InputError(f"{what}: expected some of {', '.join(map(str, there)) or 'none'}, found {one!r}")
    if len(set(chosen)) != len(chosen) or not chosen:
        raise InputError(f"{what}: expected each at most once and at least one, found {list(chosen)}")
    return chosen
