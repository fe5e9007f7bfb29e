"""The basic Jacobian matrix as a product of three: rotation, shift and iJr,j (guide 2.4.3 to 2.4.5 and 5.6.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from robosym.algebra import Graph
from robosym.algebra.count import count
from robosym.coordinates.accepts import accepts
from robosym.coordinates.constraints import constraints_of
from robosym.errors import InputError
from robosym.kinematics.active_columns import active_columns
from robosym.kinematics.platform_jacobian import platform_jacobian
from robosym.mechanism import Robot
from robosym.mechanism.added_frame import aimed
from robosym.mechanism.end_frame import frame_words
from robosym.mechanism.needs import need_base
from robosym.mechanism.path import WORLD, Poses, check_frame, check_link, moving_joints, path, simplest_frames
from robosym.model import Layout, Model, Workspace
from robosym.model.naming import entry_name
from robosym.solve.series_geometry import series_jacobian
from robosym.spatial import Mat3, Vec3

if TYPE_CHECKING:
    import sympy

    from robosym.kinematics.determinant import Factorised

__all__ = ["Factors", "Jacobian", "jacobian"]

_ALL_ROWS = (1, 2, 3, 4, 5, 6)


class Factors(NamedTuple):
    """J = rotation * shift * core."""

    rotation: Model  #: output "R": rA_i twice on the diagonal
    shift: Model  #: output "L": unit but for -iL_j,n above the diagonal
    core: Model  #: output "K": iJr,j


@dataclass(frozen=True, eq=False, repr=False)
class Jacobian(Model):
    """The model of a Jacobian matrix (output "J": rows V1 V2 V3 W1 W2 W3, a column for each of `joints`)."""

    link: int = 0
    projection: int = 0  #: i of iJr,j
    intermediate: int = 0  #: j of iJr,j
    frame: int = 0  #: where the product is expressed
    joints: tuple[int, ...] = ()  #: those from the base to the link, or the ones chosen
    rows: tuple[int, ...] = _ALL_ROWS
    active: bool = False  #: of a closed robot: whether the columns are those of the motors, which move other joints too

    def columns(self, poses: Poses, i: int, j: int, graph: Graph) -> list[list[Any]]:
        """Of iJr,j over the graph of `poses`, one for each of `joints`: three linear entries, then three angular."""
        if not self.active:
            return [_column(poses, i, j, k) for k in self.joints]
        return active_columns(self._robot, self.link, lambda k: _column(poses, i, j, k), poses, graph, self.joints)

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
        """The same with some rows (1..6) and the columns of some joints only."""
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

    def determinant(self) -> Factorised:
        """The determinant, factorised; of J J^T where there are more columns than rows, of J^T J where fewer."""
        need_base(self._robot, "the determinant of a Jacobian matrix", "fixed")
        from robosym.kinematics.determinant import determinant

        return determinant(self)

    def singularities(self) -> tuple[sympy.Expr, ...]:
        """The factors of the determinant whose zeros are the singular positions."""
        return self.determinant().singularities()

    def inverse(self) -> Model:
        """The inverse of a square Jacobian (output "Ji"), block by block where it has zero blocks (2.9.2)."""
        need_base(self._robot, "the inverse of a Jacobian matrix", "fixed")
        from robosym.kinematics.inverse_jacobian import inverse_of

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
    variants={"platform": platform_jacobian, "modules": series_jacobian},
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
    tool: Any = None,
    modes: Any = None,
) -> Any:
    """J of [V; W] = J q': velocity of the origin of frame `link` and of rotation.

    `link` is by default the end of the arm; `tool`, a 4x4 matrix or x y z roll pitch yaw, places another frame on it.
    A base that moves adds the group "base": [V; W] = J q' + base [W0; V0], with the velocity of the base, angular, then
    linear, in frame 0.
    `projection` i and `intermediate` j shape iJr,j; where one is not given, that which leaves the fewest operations.
    The product is expressed in `frame`, by default in the projection frame where it is given and else in frame 0.
    `rows` (1..6) and `joints` choose a part. The columns of a closed robot are its active joints, which the passive
    ones follow, in the mode of `reference` (values of joint variables) or of its position; `active=False` gives those
    of the equivalent tree, as if every joint moved alone.
    A robot with a platform gives the inverse Jacobian matrix "Ji" of its motors, with the legs in the branches `modes`.
    """
    robot, link = aimed(robot, link, tool, "link")
    link = check_link(robot, link)
    joints_on_way = moving_joints(robot, path(robot, 0, link)[1])
    if not joints_on_way:
        raise InputError(
            f"{robot.name}: {frame_words(robot, link)} is fixed to the base: expected a frame that a joint moves"
        )
    if active is None:
        active = robot.constrained
    if active and not robot.constrained:
        raise InputError(f"active: {robot.name} has no loop: every joint moves alone")
    if reference is not None:
        robot = replace(robot, position=dict(reference))
    wanted = None if joints is None else [robot.joint_number(joint, "joints") for joint in joints]
    chosen = _choice("joints", wanted, constraints_of(robot).active if active else joints_on_way)
    chosen_rows = _choice("rows", rows, _ALL_ROWS)
    projection, intermediate, frame = (
        given if given is None else check_frame(robot, given, WORLD) for given in (projection, intermediate, frame)
    )
    if frame is None:
        frame = 0 if projection is None else projection
    world = ("base_orientation",) if WORLD in (frame, projection, intermediate) else ()
    with Workspace(robot, ("q", *world, "parameters")) as work:
        poses = Poses(robot, work.value, work.define)
        i, j = simplest_frames(poses, link, projection, intermediate, work.graph.one)
        zero = work.graph.zero

        def matrix(name: str, entries: Callable[[int, int], Any], columns: Sequence[int]) -> None:
            work.matrix(name, [[zero + entries(r - 1, column) for column in columns] for r in _ALL_ROWS])

        A = poses(frame, i).A
        L = poses.shift(i, j, link)
        unit, none = Mat3.of(1, 0, 0, 0, 1, 0, 0, 0, 1), Mat3.of(*[0] * 9)
        hat = Mat3.of(0, L.z, -L.y, -L.z, 0, L.x, L.y, -L.x, 0)  # -L^
        matrix("R", _blocks(A, none, none, A), range(6))
        matrix("L", _blocks(unit, hat, none, unit), range(6))

        def columns(start: int, end: int) -> list[list[Any]]:
            def own(k: int) -> list[Any]:
                return _column(poses, start, end, k)

            return active_columns(robot, link, own, poses, work.graph, chosen) if active else [own(k) for k in chosen]

        core = dict(zip(chosen, columns(i, j), strict=True))
        matrix("K", lambda r, k: core[k][r], chosen)
        halves = [(Vec3(*column[:3]), Vec3(*column[3:])) for column in core.values()]
        product = [[*(A @ (linear + hat @ angular)), *(A @ angular)] for linear, angular in halves]
        direct = columns(frame, link)
        rows_of = [[[zero + column[r - 1] for column in found] for r in chosen_rows] for found in (product, direct)]
        cheaper = min(rows_of, key=lambda rows: count(entry for row in rows for entry in row).total)
        outputs: dict[str, Layout] = {"J": work.matrix("J", cheaper, chosen_rows)}
        about = {"J": _words(robot, link, frame, chosen_rows, chosen)}
        if robot.base.kind != "fixed":
            carried = _carried(poses(frame, 0).A, poses(0, link).P)
            moved = [[zero + carried(r - 1, column) for column in range(6)] for r in chosen_rows]
            outputs["base"] = work.matrix("JB", moved, chosen_rows)
            about["base"] = "the same of the velocity of the base in frame 0: angular, then linear"
        return work.model(
            "jac", f"Jacobian matrix of link {link}", outputs, Jacobian,
            link=link, projection=i, intermediate=j, frame=frame, joints=chosen, rows=chosen_rows, active=active,
            about=about,
        )  # fmt: skip


def _column(poses: Poses, i: int, j: int, k: int) -> list[Any]:
    return [entry for part in poses.column(i, j, k) for entry in part]


def _carried(A: Mat3, P: Vec3) -> Callable[[int, int], Any]:
    """Velocity of a point P of frame 0, seen in another frame, from that of frame 0: angular, then linear."""
    hat = Mat3.of(0, P.z, -P.y, -P.z, 0, P.x, P.y, -P.x, 0)  # -P^
    return _blocks(A @ hat, A, A, Mat3.of(*[0] * 9))


def _blocks(a: Mat3, b: Mat3, c: Mat3, d: Mat3) -> Callable[[int, int], Any]:
    """The entries of [a b; c d]."""
    blocks = [[list(m) for m in (a, b)], [list(m) for m in (c, d)]]
    return lambda r, s: blocks[r // 3][s // 3][3 * (r % 3) + s % 3]


def _choice(what: str, wanted: Iterable[int] | None, there: Sequence[int]) -> tuple[int, ...]:
    chosen = tuple(there) if wanted is None else tuple(wanted)
    for one in chosen:
        if one not in there:
            raise InputError(f"{what}: expected some of {', '.join(map(str, there)) or 'none'}, found {one!r}")
    if len(set(chosen)) != len(chosen) or not chosen:
        raise InputError(f"{what}: expected each at most once and at least one, found {list(chosen)}")
    return chosen
