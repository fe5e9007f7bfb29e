"""Drives as bodies: an elastic gear as a joint with a spring, a rotor as a body that turns with its joint.

With `IA`, a rotor only adds inertia to its own joint. As a body it also follows the link that carries it: its angular
momentum turns with this link (gyroscopic effect), and the link's rotation accelerates the rotor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from robosym.algebra import Expr, Graph, Number, numeric_value
from robosym.errors import InputError
from robosym.mechanism.added_frame import with_frame
from robosym.mechanism.coupling import Coupling
from robosym.mechanism.edit import entry
from robosym.mechanism.elements import Frame, Joint, Link
from robosym.mechanism.joints import PRISMATIC, REVOLUTE

if TYPE_CHECKING:
    from robosym.mechanism.robot import Robot

__all__ = ["with_elasticity", "with_rotor"]

_ON_MOTOR = ("IA", "FV", "FS")  #: entries of a link that belong to the motor of its joint


def _joint_of(robot: Robot, joint: int | str, what: str) -> int:
    """Return the number of a joint of the tree that is independent of the others."""
    if robot.modules or robot.transmission is not None:
        raise InputError(f"{what}: expected a robot in joint coordinates without a transmission, found {robot.name}")
    j = robot.joint_number(joint, "joint")
    if j not in robot.tree_joints or robot.frame(j).sigma not in (REVOLUTE, PRISMATIC):
        raise InputError(f"{what}: expected a revolute or prismatic joint of the tree, found joint {joint!r}")
    return j


def _fresh(robot: Robot, wanted: str) -> str:
    """Return a name that no variable and no symbol of the robot has."""
    taken = {*filter(None, robot.variables), *robot.parameters}
    taken |= {value.name for joint in robot.joints for value in (joint.QP, joint.QDP, joint.GAM) if value.name}
    return next(name for k in range(len(taken) + 1) if (name := f"{wanted}{k or ''}") not in taken)


def _numbered(joint: Joint, old: int, new: int, graph: Graph) -> Joint:
    """Return the joint with its default symbols, QP3 .., named after its new number."""

    def named(word: str, value: Expr) -> Expr:
        return graph.symbol(f"{word}{new}") if value.name == f"{word}{old}" else value

    return replace(joint, QP=named("QP", joint.QP), QDP=named("QDP", joint.QDP), GAM=named("GAM", joint.GAM))


def _new_joint(place: int, graph: Graph, eta: int, k: Expr, name: str = "") -> Joint:
    """Return a joint with default symbols."""
    QP, QDP, GAM = (graph.symbol(f"{word}{place}") for word in ("QP", "QDP", "GAM"))
    return Joint(QP, QDP, GAM, eta, k, name=name)


def _inserted(
    robot: Robot, place: int, frame: Frame, links: tuple[Link, ...], joint: Joint, moved: Callable[[int], int]
) -> Robot:
    """Return the robot with a frame of number `place`; `moved` gives the new number of each frame that others name."""
    frames = [replace(own, ant=moved(own.ant)) for own in robot.frames]
    later = [_numbered(own, k, k + 1, robot.graph) for k, own in enumerate(robot.joints[place - 1 :], place)]
    return replace(
        robot,
        frames=(*frames[: place - 1], frame, *frames[place - 1 :]),
        links=links,
        joints=(*robot.joints[: place - 1], joint, *later),
        frame_names={name: moved(k) for name, k in robot.frame_names.items()},
        contacts=tuple(replace(contact, frame=moved(contact.frame)) for contact in robot.contacts),
    ).changed()


def with_elasticity(robot: Robot, joint: int | str, stiffness: Number | str, damping: Number | str = 0) -> Robot:
    """Return the robot with an elastic gear between motor and link; see `Robot.with_elasticity`."""
    j = _joint_of(robot, joint, "with_elasticity")
    if not robot.frame(j).mu or robot.joint(j).eta or robot.variable(j) in robot.couplings:
        raise InputError(f"with_elasticity: joint {joint!r}: expected a joint with a motor and without a spring")
    graph = Graph()
    robot = robot.in_graph(graph)
    link, frame, own = robot.link(j), robot.frame(j), robot.joint(j)
    if link.IA.is_zero:
        raise InputError(
            f"with_elasticity: joint {joint!r}: expected the inertia IA of the rotor, which moves alone, found none"
        )
    k, c = (entry(value, graph, "with_elasticity") for value in (stiffness, damping))
    number = numeric_value(k)
    if number is not None and not number > 0:
        raise InputError(f"with_elasticity: stiffness: expected a positive number, found {stiffness!r}")
    zero, variable = graph.zero, robot.variable(j)
    bend = graph.symbol(_fresh(robot, f"{variable}e"))
    theta, r = (bend, zero) if frame.sigma == REVOLUTE else (zero, bend)
    motor = replace(Link.blank(zero), **{name: getattr(link, name) for name in _ON_MOTOR})
    moving = replace(link, **dict.fromkeys(_ON_MOTOR, zero) | {"FV": c})
    spring = _new_joint(j + 1, graph, 1, k, f"{own.name}_elasticity" if own.name else "")
    links = (*robot.links[: j - 1], motor, moving, *robot.links[j:])
    body = Frame(j, frame.sigma, 0, zero, zero, zero, zero, theta, r)
    return _inserted(robot, j + 1, body, links, spring, lambda number: number + (number >= j))


def with_rotor(
    robot: Robot, joint: int | str, ratio: float, inertia: Number | str | None = None, pose: object = None
) -> Robot:
    """Return the robot with the rotor of a joint as a body; see `Robot.with_rotor`."""
    j = _joint_of(robot, joint, "with_rotor")
    if not (isinstance(ratio, (int, float)) and abs(ratio) > 0):
        raise InputError(f"with_rotor: ratio: expected a number other than zero, found {ratio!r}")
    if robot.variable(j) in robot.couplings:
        raise InputError(f"with_rotor: joint {joint!r}: expected an independent joint, found one that follows others")
    graph = Graph()
    robot = robot.in_graph(graph)
    own = robot.link(j)
    J = own.IA / (graph.number(ratio) * graph.number(ratio)) if inertia is None else entry(inertia, graph, "with_rotor")
    if J.is_zero:
        raise InputError(f"with_rotor: joint {joint!r}: expected an inertia, or IA of the joint, found neither")
    frame, variable = robot.frame(j), str(robot.variable(j))
    parent, geometry = frame.ant, (frame.gamma, frame.b, frame.alpha, frame.d)
    if pose is not None:
        name = _fresh(robot, f"rotor{j}_axis")
        robot = with_frame(robot, name, frame.ant, pose)
        graph = robot.graph
        parent, geometry = robot.frame_names[name], (graph.zero, graph.zero, graph.zero, graph.zero)
        (J,) = graph.copy([J])
    zero, place = graph.zero, robot.NL + 1
    turn = _fresh(robot, f"{variable}m")
    links = [*robot.links, replace(Link.blank(zero), ZZ=J)]
    links[j - 1] = replace(links[j - 1], IA=zero) if inertia is None else links[j - 1]
    body = Frame(parent, REVOLUTE, 0, *geometry, graph.symbol(turn), zero)
    spin = _new_joint(place, graph, 0, zero)
    made = _inserted(robot, place, body, tuple(links), spin, lambda number: number + (number >= place))
    return replace(made, couplings={**made.couplings, turn: Coupling({variable: float(ratio)}, 0.0)})
