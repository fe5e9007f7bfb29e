"""Constraints of feet and wheels on the rates of a robot: rows, slip velocities, and the rates that they admit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from robosym.algebra import Expr, symbols
from robosym.algebra.linear.regular import Sizes, solve
from robosym.algebra.matrix import dot
from robosym.algebra.subspaces import independent_columns, rank
from robosym.algebra.tolerances import RANK
from robosym.coordinates.accepts import accepts
from robosym.coordinates.contact_rows import ContactRows, Coordinate, need_base_in_contact
from robosym.coordinates.joint_motion import joint_motion
from robosym.dynamics.composite import BASE_RATES
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.motion import base_of
from robosym.model import Layout, Model

__all__ = ["ContactKinematics", "contact_kinematics"]

#: rates of a base in the order in which they become dependent: a base on wheels keeps V1 and W3
_BASE_ORDER = ("W1", "W2", "V3", "V2", "W3", "V1")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ContactKinematics(Model):
    """Constraints of the contacts of a robot, with its mobility and its independent rates.

    Attributes
    ----------
    independent : tuple of str
        Rates in the order of the columns of "S": W1 to V3 of a floating base, names of joints.
    rank : int
        Number of independent rows.
    """

    independent: tuple[str, ...] = ()
    rank: int = 0

    @property
    def mobility(self) -> int:
        """Number of independent rates."""
        return len(self.independent)


@accepts("floating", contacts="independent")
def contact_kinematics(robot: Robot, independent: Iterable[int | str] | None = None) -> ContactKinematics:
    """Return the constraints that the contacts of a robot put on its rates, and the rates that they admit.

    Parameters
    ----------
    robot : Robot
        Tree or closed robot in contact with the ground (`Robot.with_contacts`); a library name or a path is accepted
        too.
    independent : iterable of int or str, optional
        Joints (by number or name) and rates of a floating base (W1, W2, W3, V1, V2, V3) that determine all others.
        Default: rates of the base, then motors.

    Returns
    -------
    ContactKinematics
        Outputs: "J" (rows, columns), whose product with the rates vanishes: the six of a floating base (angular, then
        linear, in frame 0), then those of the joints; "slip" (rows), that product for the given rates, in m/s and
        rad/s; "drift" (rows), its derivative without accelerations; "S" (columns, mobility), all rates per unit of
        each independent rate. Attributes: `mobility`, `independent`, `rank`.

    Raises
    ------
    InputError
        If the robot has no contacts, they prevent every motion, or `independent` does not determine the motion.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.contact_kinematics(rs.load("differential_drive"))
    >>> model.mobility, model.independent
    (2, ('left', 'right'))
    """
    if not robot.contacts:
        raise InputError(
            f"{robot.name}: expected contacts: list them under `contacts` in the file, or use robot.with_contacts"
        )
    need_base_in_contact(robot)
    floating = robot.base.kind == "floating"
    oriented = any(contact.rolls for contact in robot.contacts) and floating
    groups = ("q", "qd", "base_velocity", *(("base_orientation",) if oriented else ()), "parameters")
    motion = joint_motion(robot, groups)
    with motion.work as work:
        rows = ContactRows(motion, floating)
        columns: tuple[Coordinate, ...] = (*(BASE_RATES if floating else ()), *motion.active)
        kept = rows.independent()
        free = _independent(robot, rows, kept, columns, None if independent is None else [*independent])
        zero, base = work.graph.zero, base_of(robot, work.value)
        table = [[row.entries.get(c, zero) for c in columns] for row in rows.rows]
        rates = [*((*base.w, *base.v) if floating else ()), *(motion.rate(j) for j in motion.active)]
        outputs: dict[str, Layout] = {
            "J": work.matrix("JC", table, columns=columns),
            "slip": work.vector("SL", dict(enumerate((dot(row, rates) for row in table), 1))),
            "drift": work.vector("DC", dict(enumerate(rows.drift(), 1))),
            "S": work.matrix("SC", _admissible(rows, kept, columns, free), columns=free),
        }
        names = tuple(c if isinstance(c, str) else robot.joint_name(c) for c in free)
        return work.model(
            "ckm", "Constraints of contacts: admissible rates", outputs, ContactKinematics,
            independent=names, rank=len(kept), about=_about(robot, rows),
        )  # fmt: skip


def _about(robot: Robot, rows: ContactRows) -> dict[str, str]:
    forces = ", ".join(rows.names)
    return {
        "J": f"rows of the contacts, along the forces {forces}; columns: base (angular, linear), joints",
        "slip": "velocity along the rows, zero in contact (m/s, rad/s)",
        "drift": "derivative of the slip velocity without accelerations",
        "S": "rates of base (angular, linear) and joints per unit of each independent rate",
    }


def _independent(
    robot: Robot, rows: ContactRows, kept: Sequence[int], columns: Sequence[Coordinate],
    wanted: Sequence[int | str] | None,
) -> list[Coordinate]:  # fmt: skip
    """Return the independent coordinates: those wanted, or those that remain after choosing dependent ones."""
    mobility = len(columns) - len(kept)
    if not mobility:
        raise InputError(f"{robot.name}: the contacts prevent every motion: expected fewer contacts")
    tables = [table[list(kept)] for table in rows.numeric(rows.columns)]
    if wanted is not None:
        found: list[Coordinate] = [
            name if name in columns else robot.joint_number(name, "independent") for name in wanted
        ]
        others = [rows.columns.index(c) for c in columns if c not in found]
        if len(set(found)) != mobility or max(rank(table[:, others]) for table in tables) < len(kept):
            raise InputError(
                f"independent: expected {mobility} rates that determine all others, found "
                f"{', '.join(map(str, wanted)) or 'none'}"
            )
        return found
    motors = set(robot.motors)
    without = [j for j in rows.motion.active if j not in motors]
    order: list[Coordinate] = [*without, *(j for j in rows.motion.active if j in motors)]
    order += _BASE_ORDER if rows.floating else ()
    places = [rows.columns.index(c) for c in order]
    dependent = {order[k] for k in independent_columns(tables[0][:, places], RANK)[0]}
    return [c for c in columns if c not in dependent]


def _admissible(
    rows: ContactRows, kept: Sequence[int], columns: Sequence[Coordinate], free: Sequence[Coordinate]
) -> list[list[Expr]]:
    """Return S: all rates per unit of each independent rate."""
    zero, one = rows.work.graph.zero, rows.work.graph.one
    dependent = [c for c in columns if c not in free]
    chosen = [rows.rows[r] for r in kept]
    A = [[row.entries.get(c, zero) for c in dependent] for row in chosen]
    B = [[-row.entries.get(c, zero) for c in free] for row in chosen]
    names = list(symbols([value for row in (*A, *B) for value in row]))
    sizes = Sizes([{name: values.get(name, 0.0) for name in names} for values in rows.samples()])
    solution = dict(zip(dependent, solve(A, B, sizes), strict=True))
    return [[*solution[c]] if c in solution else [one if c == f else zero for f in free] for c in columns]
