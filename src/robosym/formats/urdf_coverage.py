"""Elements and attributes of URDF, and what becomes of each."""

from __future__ import annotations

from robosym.formats.coverage import cover

__all__ = ["URDF"]

#: by path from the root
URDF = {
    "robot": cover(
        "@name link joint loop_joint loop", "@version material transmission gazebo sensor group group_state "
        "disable_collisions end_effector virtual_joint passive_joint ros2_control",
    ),
    "robot/link": cover(
        "@name inertial", "@type visual collision contact self_collision_checking collision_checking self_filter "
        "surface sensor", gravity="true", kinematic="false",
    ),
    "robot/link/inertial": cover("origin mass inertia"),
    "robot/link/inertial/origin": cover("@xyz @rpy"),
    "robot/link/inertial/mass": cover("@value"),
    "robot/link/inertial/inertia": cover("@ixx @ixy @ixz @iyy @iyz @izz"),
    "robot/joint": cover(
        "@name @type origin parent child axis limit dynamics mimic",
        "@dont_collapse calibration safety_controller hardwareInterface",
    ),
    "robot/joint/origin": cover("@xyz @rpy"),
    "robot/joint/parent": cover("@link"),
    "robot/joint/child": cover("@link"),
    "robot/joint/axis": cover("@xyz"),
    "robot/joint/limit": cover("@lower @upper @effort @velocity"),
    "robot/joint/dynamics": cover(
        "@damping @friction", "@spring_reference", at_spring_stiffness="0", at_stiffness="0", at_armature="0",
        at_rotor_inertia="0",
    ),
    "robot/joint/mimic": cover("@joint @multiplier @offset"),
    "robot/loop_joint": cover("@name @type link1 link2 axis"),
    "robot/loop_joint/link1": cover("@link @xyz @rpy"),
    "robot/loop_joint/link2": cover("@link @xyz @rpy"),
    "robot/loop_joint/axis": cover("@xyz"),
    "robot/loop": cover("@name @type predecessor successor axis"),
    **{
        f"robot/loop/{end}{part}": table
        for end in ("predecessor", "successor")
        for part, table in (("", cover("@link origin")), ("/origin", cover("@xyz @rpy")))
    },
    "robot/loop/axis": cover("@xyz"),
    # an extension that holds anything: what changes the dynamics of a robot
    "gazebo": cover(
        "", "*", springStiffness="0", gravity="true", turnGravityOff="false", dampingFactor="0", kinematic="false",
        static="false",
    ),
}  # fmt: skip
