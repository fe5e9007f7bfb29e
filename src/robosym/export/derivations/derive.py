"""`rs.derivation`: how a model follows from the description, in steps."""

from __future__ import annotations

from typing import Literal

from robosym.coordinates.accepts import accepts
from robosym.errors import InputError
from robosym.export.derivations.jacobian_steps import jacobian_steps
from robosym.export.derivations.lagrange_steps import lagrange_steps
from robosym.export.derivations.recursion_steps import newton_euler_steps
from robosym.export.derivations.written import Derivation
from robosym.mechanism import Robot

__all__ = ["derivation"]


@accepts("fixed", loops=False)
def derivation(
    robot: Robot,
    subject: Literal["newton_euler", "lagrange", "jacobian"] = "newton_euler",
    link: int | str | None = None,
) -> Derivation:
    """Derive a model of a robot in steps that cite the general equation, insert the robot and simplify.

    Parameters
    ----------
    robot : Robot
        Robot with a fixed base and without loops; a library name or a path is accepted too.
    subject : {"newton_euler", "lagrange", "jacobian"}
        Derived model: `newton_euler` (inverse dynamic model by the recursion of Newton and Euler), `lagrange` (the same
        from the energies, for at most four joints) or `jacobian` (columns, determinant, singular positions).
    link : int or str, optional
        Link of the Jacobian matrix, by number or name. Default: the last one.

    Returns
    -------
    Derivation
        Steps with `str`, `.latex()` and a display for notebooks.

    Raises
    ------
    InputError
        If the robot or the subject is not supported.

    Examples
    --------
    >>> import robosym as rs
    >>> steps = rs.derivation(rs.load("planar2r"), "lagrange").steps
    >>> print(steps[-2].formulas[1].text)
    Q2 = 4.905*cos(t1 + t2)
    """
    if link is not None and subject != "jacobian":
        raise InputError(f"link: only the subject jacobian has a link, found the subject {subject}")
    if subject != "jacobian" and any(robot.joint(j).eta for j in robot.tree_joints):
        raise InputError(f"{robot.name}: subject {subject}: expected rigid joints, found elastic ones")
    if subject == "newton_euler":
        return Derivation(f"{robot.name}: inverse dynamic model by Newton-Euler", newton_euler_steps(robot))
    if subject == "lagrange":
        return Derivation(f"{robot.name}: equations of motion from the energies", lagrange_steps(robot))
    if subject == "jacobian":
        number = robot.NL if link is None else robot.frame_number(link)
        return Derivation(f"{robot.name}: Jacobian matrix of link {number}", jacobian_steps(robot, number))
    raise InputError(f"subject: expected newton_euler, lagrange or jacobian, found {subject!r}")
