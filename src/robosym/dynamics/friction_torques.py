"""The friction of the joints by itself, so that a control law may take it at another velocity than the rest."""

from __future__ import annotations

from robosym.coordinates.accepts import accepts
from robosym.coordinates.joint_motion import joint_motion
from robosym.mechanism import Robot
from robosym.model import Model

__all__ = ["friction_torques"]


@accepts("floating", motors=True)
def friction_torques(robot: Robot) -> Model | None:
    """Return the torques FRICj of the motors against friction at the velocities qd.

    None where they are no function of position and velocity alone: friction under load, or motors that share it.
    """
    if any(name == "FL" for joint in robot.joints for name, _ in joint.friction.values):
        return None
    motion = joint_motion(robot, ("q", "qd", "parameters"))
    if not motion.motors_are_active:
        return None
    with motion.work as work:
        torques = motion.friction(motion.tree({}))
        outputs = {"friction": work.vector("FRIC", {j: work.graph.zero + x for j, x in torques.items()})}
        about = {"friction": "torques of the motors against friction (N m, N)"}
        return work.model("fri", "Friction torques", outputs, about=about)
