"""Friction in control laws: none, as described, or in a form that does not chatter with measured velocities.

The sign of a measured velocity jumps with its noise where a joint is at rest, and the torque of a law with it. By
default a law therefore takes dry friction at the desired velocity where it has one, and a smooth function of the
measured velocity otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from robosym.dynamics.friction_torques import friction_torques
from robosym.mechanism import Robot
from robosym.mechanism.friction import SMOOTH, friction_choice, has_dry_friction, split_friction, with_friction
from robosym.model import Model

__all__ = ["Compensation", "compensation"]


@dataclass(frozen=True)
class Compensation:
    """How a law treats friction: the robot of its model, what is added at the desired velocity, and words for it."""

    robot: Robot
    apart: Model | None  #: torques of dry friction, a function of the velocities `qd` (and of the positions)
    words: str

    def at_desired(self) -> Compensation:
        """The same of a law whose model is that of the desired motion."""
        words = self.words.replace("the velocity that is given as qd", "the desired velocity")
        return replace(self, words=words.replace("tanh(qd /", "tanh(qd_desired /"))

    def said(self, model: Model, group: str = "tau") -> Model:
        """The model, whose file says how a group of its outputs treats friction."""
        if not self.words:
            return model
        return replace(model, about={**model.about, group: f"{model.meaning(group, output=True)}; {self.words}"})


def compensation(robot: Robot, friction: bool | str, desired: bool) -> Compensation:
    """The treatment of friction by a law; `desired`: whether it knows the desired velocities of the joints."""
    choice = friction_choice(friction)
    if not _has_friction(robot):
        return Compensation(robot, None, "")
    if choice is False:
        return Compensation(_like(robot, with_friction(robot, False)), None, "without friction")
    if not has_dry_friction(robot):
        return Compensation(robot, None, "")
    if choice is True:
        return Compensation(robot, None, "friction as described, by the sign of the velocity that is given as qd")
    if desired:
        quiet, dry = split_friction(robot)
        apart: Model | None = friction_torques(_like(robot, dry))
        if apart is not None:
            words = f"dry friction at the desired velocity, by tanh(qd_desired / {SMOOTH}) in the place of its sign"
            return Compensation(_like(robot, quiet), apart, words)
    words = f"dry friction by tanh(qd / {SMOOTH}) in the place of its sign"
    return Compensation(_like(robot, with_friction(robot, "smooth")), None, words)


def _has_friction(robot: Robot) -> bool:
    links = any(not value.is_zero for link in robot.links for value in (link.FV, link.FS))
    return links or any(joint.friction.values for joint in robot.joints)


def _like(robot: Robot, other: Robot) -> Robot:
    """The robot with other friction, of the same file."""
    return replace(other, origin=robot.origin)
