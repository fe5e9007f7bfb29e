"""Elements and attributes of SDF (version 1.12), and what becomes of each."""

from __future__ import annotations

from robosym.formats.coverage import cover

__all__ = ["SDF"]

_AXIS = cover("xyz limit dynamics mimic use_parent_model_frame", "initial_position")
_LIMIT = cover("lower upper effort velocity", "stiffness dissipation")
_DYNAMICS = cover("damping friction", "spring_reference", spring_stiffness="0")
_XYZ = cover("@expressed_in")
_MIMIC = cover("@joint @axis multiplier offset reference")
_POSE = cover("@relative_to @degrees @rotation_format", "@frame")

#: by path from the model, or from the file or the world that holds it
SDF = {
    "sdf": cover("model world", "@version light actor"),
    "world": cover(
        "model gravity",
        "@name actor atmosphere audio frame gui light magnetic_field physics plugin population road scene "
        "spherical_coordinates state wind",
    ),
    "model": cover(
        "@name link joint frame pose",
        "@canonical_link @namespace allow_auto_disable gripper plugin self_collide",
        at_placement_frame="", static="false", enable_wind="false",
    ),
    "model/pose": _POSE,
    "model/frame": cover("@name @attached_to pose"),
    "model/frame/pose": _POSE,
    "model/link": cover(
        "@name inertial pose",
        "audio_sink audio_source battery collision light particle_emitter projector self_collide sensor visual",
        gravity="true", enable_wind="false", kinematic="false", must_be_base_link="false", velocity_decay="0",
    ),
    "model/link/pose": _POSE,
    "model/link/inertial": cover(
        "mass pose inertia", "density auto_inertia_params", at_auto="false", fluid_added_mass="0"
    ),
    "model/link/inertial/pose": _POSE,
    "model/link/inertial/inertia": cover("ixx ixy ixz iyy iyz izz"),
    "model/joint": cover(
        "@name @type parent child axis axis2 pose",
        # gearbox and screw joints, whose these are, are rejected
        "gearbox_ratio gearbox_reference_body physics screw_thread_pitch sensor thread_pitch",
    ),
    "model/joint/pose": _POSE,
    **{
        f"model/joint/{axis}{part}": table
        for axis in ("axis", "axis2")
        for part, table in (
            ("", _AXIS), ("/limit", _LIMIT), ("/dynamics", _DYNAMICS), ("/xyz", _XYZ), ("/mimic", _MIMIC)
        )
    },
}  # fmt: skip
