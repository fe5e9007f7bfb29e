"""`rs.derivation`: how a model follows from the description, in steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from robosym.coordinates.accepts import accepts
from robosym.errors import InputError, closest
from robosym.export.derivations.base_steps import base_steps
from robosym.export.derivations.geometry_steps import geometry_steps
from robosym.export.derivations.jacobian_steps import determinant_steps, jacobian_steps
from robosym.export.derivations.lagrange_steps import lagrange_steps
from robosym.export.derivations.recursion_steps import newton_euler_steps
from robosym.export.derivations.solution_steps import inverse_steps, loop_steps
from robosym.export.derivations.written import Derivation, DerivationStep
from robosym.mechanism import Robot

__all__ = ["SUBJECTS", "derivation"]


Subject = Literal[
    "newton_euler", "lagrange", "jacobian", "determinant", "geometry", "inverse_geometry", "base_parameters", "loops"
]
#: subjects, and what `derivation` says about each in its title
SUBJECTS = {
    "newton_euler": "inverse dynamic model by Newton-Euler",
    "lagrange": "equations of motion from the energies",
    "jacobian": "Jacobian matrix of link {link}",
    "determinant": "determinant of the Jacobian matrix of link {link} and singular positions",
    "geometry": "direct geometric model of frame {link}",
    "inverse_geometry": "inverse geometric model",
    "base_parameters": "base inertial parameters",
    "loops": "closure of the loops",
}
_WITH_LINK = ("jacobian", "determinant", "geometry", "inverse_geometry")


@accepts("fixed")
def derivation(robot: Robot, subject: Subject = "newton_euler", link: int | str | None = None) -> Derivation:
    """Derive a model of a robot in steps that cite the general equation, insert the robot and simplify.

    Parameters
    ----------
    robot : Robot
        Robot with a fixed base; a library name or a path is accepted too. Robots with closed loops have all subjects
        but `newton_euler` and `lagrange`.
    subject : {"newton_euler", "lagrange", "jacobian", "determinant", "geometry", "inverse_geometry", \
"base_parameters", "loops"}
        Derived model: `newton_euler` (inverse dynamic model by the recursion of Newton and Euler), `lagrange` (the same
        from the energies, for at most four joints), `jacobian` (columns, determinant, singular positions),
        `determinant` (its factors, and each singular position described and drawn), `geometry` (transformation
        matrices), `inverse_geometry`, `base_parameters` (the rule that groups each parameter) or `loops` (closure
        of closed loops).
    link : int or str, optional
        Link or frame of the subjects `jacobian`, `determinant`, `geometry` and `inverse_geometry`, by number or name.
        Default: the last link.

    Returns
    -------
    Derivation
        Steps with `str`, `.latex()`, `.write()` and a display for notebooks.

    Raises
    ------
    InputError
        If the robot or the subject is not supported.

    Examples
    --------
    >>> import robosym as rs
    >>> steps = rs.derivation(rs.load("planar2r"), "lagrange").steps
    >>> print(steps[-2].formulas[1].text)
    Q2 = 4.905*C12
    >>> print(steps[-2].formulas[1].full)
    Q2 = 4.905*cos(t1 + t2)
    """
    if subject not in SUBJECTS:
        raise InputError(f"subject: expected {', '.join(SUBJECTS)}, found {subject!r}{closest(subject, SUBJECTS)}")
    if link is not None and subject not in _WITH_LINK:
        raise InputError(f"link: the subjects {', '.join(_WITH_LINK)} have a link, found the subject {subject}")
    if (robot.loops or robot.couplings) and subject in ("newton_euler", "lagrange"):
        raise InputError(
            f"{robot.name}: subject {subject}: expected a robot without loops and couplings; choose loops, "
            "base_parameters, geometry, inverse_geometry, jacobian or determinant"
        )
    if subject in ("newton_euler", "lagrange") and any(robot.joint(j).eta for j in robot.tree_joints):
        raise InputError(f"{robot.name}: subject {subject}: expected rigid joints, found elastic ones")
    number = robot.NL if link is None else robot.frame_number(link)
    made: dict[str, Callable[[], tuple[DerivationStep, ...]]] = {
        "newton_euler": lambda: newton_euler_steps(robot),
        "lagrange": lambda: lagrange_steps(robot),
        "jacobian": lambda: jacobian_steps(robot, number),
        "determinant": lambda: determinant_steps(robot, number),
        "geometry": lambda: geometry_steps(robot, number),
        "inverse_geometry": lambda: inverse_steps(robot, None if link is None else number),
        "base_parameters": lambda: base_steps(robot),
        "loops": lambda: loop_steps(robot),
    }
    return Derivation(f"{robot.name}: {SUBJECTS[subject].format(link=number)}", made[subject]())
