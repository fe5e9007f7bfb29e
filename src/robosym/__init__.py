# ruff: noqa: I001 - exported names are listed together
"""robosym: symbolic models of robots, as lean code and fast callables.

Names are imported when they are first used, so that `import robosym` is quick and a command loads only the modules it
needs.
"""

import warnings
from functools import wraps
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

#: every public name, by the module that holds it
_HOMES = {
    "control": "Actuator achievable_accelerations adaptive_control computed_torque feedforward force_ellipsoid "
    "impedance_control inverse_kinematics momentum_observer operational_control pd_gravity predictive_control",
    "drawing": "draw",
    "dynamics": "base_velocity bias_torques centroidal_momentum coriolis_matrix direct_dynamics energy formulations "
    "gravity_torques inertia_matrix inverse_dynamics lagrange linearize modified_newton_euler",
    "dynamics.identification": "dynamic_identification energy_identification filtered_identification "
    "power_identification",
    "errors": "Error ExpressionError FormatError FrameWarning InputError RobotError RobotWarning TimeLimitReached",
    "experiment": "Drive Estimate Log Motion Motor Recursive Trajectory exciting_trajectory identify identify_drives "
    "identify_payload motor_loads prepare",
    "experiment.calibrate": "calibrate",
    "experiment.calibration": "Calibration",
    "experiment.calibration_postures": "CalibrationPostures calibration_postures",
    "export": "Book Derivation book build bundle derivation fmu ros2 share verify",
    "formats": "library load loads robot",
    "kinematics": "accelerations contact_kinematics direct_geometry jacobian jdot_qdot loop_kinematics manipulability "
    "operational_jacobian paul_matrices transform velocities",
    "languages": "read_model",
    "mechanism": "Friction Robot",
    "model": "Model compose",
    "optimizer": "optimize",
    "parameters": "base_parameters",
    "parameters.geometric": "GeometricParameters geometric_parameters",
    "simulation": "Simulation cartesian_trajectory joint_trajectory simulate state_derivative time_optimal_motion "
    "trajectory_generator",
    "solve": "general_equations inverse_geometry loop_geometry",
    "solve.pose_coordinates": "platform_pose",
    "solve.pose_solver": "pose_solver",
    "studies": "Study study",
    "studies.cables": "cable_tensions",
    "studies.singular_poses": "dexterity singularities",
    "studies.platform_workspace": "workspace",
    "studies.certified": "singularity_free workspace_volume",
    "time_limits": "time_limit",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = list(_HOME_OF)
#: names of version 0.1 and their replacements
_RENAMED = {
    "Hybrid": 'use rs.Robot.in_series, and robot.structure == "hybrid"',
    "Parallel": 'use rs.Robot, and robot.structure == "parallel"',
}

if TYPE_CHECKING:  # the same for those who read types
    from robosym.control import (
        Actuator as Actuator,
        achievable_accelerations as achievable_accelerations,
        adaptive_control as adaptive_control,
        computed_torque as computed_torque,
        feedforward as feedforward,
        force_ellipsoid as force_ellipsoid,
        impedance_control as impedance_control,
        inverse_kinematics as inverse_kinematics,
        momentum_observer as momentum_observer,
        operational_control as operational_control,
        pd_gravity as pd_gravity,
        predictive_control as predictive_control,
    )
    from robosym.drawing import draw as draw
    from robosym.dynamics import (
        base_velocity as base_velocity,
        bias_torques as bias_torques,
        centroidal_momentum as centroidal_momentum,
        coriolis_matrix as coriolis_matrix,
        direct_dynamics as direct_dynamics,
        energy as energy,
        formulations as formulations,
        gravity_torques as gravity_torques,
        inertia_matrix as inertia_matrix,
        inverse_dynamics as inverse_dynamics,
        lagrange as lagrange,
        linearize as linearize,
        modified_newton_euler as modified_newton_euler,
    )
    from robosym.dynamics.identification import (
        dynamic_identification as dynamic_identification,
        energy_identification as energy_identification,
        filtered_identification as filtered_identification,
        power_identification as power_identification,
    )
    from robosym.errors import (
        Error as Error,
        ExpressionError as ExpressionError,
        FormatError as FormatError,
        FrameWarning as FrameWarning,
        InputError as InputError,
        RobotError as RobotError,
        RobotWarning as RobotWarning,
        TimeLimitReached as TimeLimitReached,
    )
    from robosym.experiment import (
        Drive as Drive,
        Estimate as Estimate,
        Log as Log,
        Motion as Motion,
        Motor as Motor,
        Recursive as Recursive,
        Trajectory as Trajectory,
        exciting_trajectory as exciting_trajectory,
        identify as identify,
        identify_drives as identify_drives,
        identify_payload as identify_payload,
        motor_loads as motor_loads,
        prepare as prepare,
    )
    from robosym.experiment.calibrate import calibrate as calibrate
    from robosym.experiment.calibration import Calibration as Calibration
    from robosym.experiment.calibration_postures import (
        CalibrationPostures as CalibrationPostures,
        calibration_postures as calibration_postures,
    )
    from robosym.export import (
        Book as Book,
        Derivation as Derivation,
        book as book,
        build as build,
        bundle as bundle,
        derivation as derivation,
        fmu as fmu,
        ros2 as ros2,
        share as share,
        verify as verify,
    )
    from robosym.formats import library as library, load as load, loads as loads, robot as robot
    from robosym.kinematics import (
        accelerations as accelerations,
        contact_kinematics as contact_kinematics,
        direct_geometry as direct_geometry,
        jacobian as jacobian,
        jdot_qdot as jdot_qdot,
        loop_kinematics as loop_kinematics,
        manipulability as manipulability,
        operational_jacobian as operational_jacobian,
        paul_matrices as paul_matrices,
        transform as transform,
        velocities as velocities,
    )
    from robosym.languages import read_model as read_model
    from robosym.mechanism import Friction as Friction, Robot as Robot
    from robosym.model import Model as Model, compose as compose
    from robosym.optimizer import optimize as optimize
    from robosym.parameters import base_parameters as base_parameters
    from robosym.parameters.geometric import (
        GeometricParameters as GeometricParameters,
        geometric_parameters as geometric_parameters,
    )
    from robosym.simulation import (
        Simulation as Simulation,
        cartesian_trajectory as cartesian_trajectory,
        joint_trajectory as joint_trajectory,
        simulate as simulate,
        state_derivative as state_derivative,
        time_optimal_motion as time_optimal_motion,
        trajectory_generator as trajectory_generator,
    )
    from robosym.solve import (
        general_equations as general_equations,
        inverse_geometry as inverse_geometry,
        loop_geometry as loop_geometry,
    )
    from robosym.solve.pose_coordinates import platform_pose as platform_pose
    from robosym.solve.pose_solver import pose_solver as pose_solver
    from robosym.studies import Study as Study, study as study
    from robosym.studies.cables import cable_tensions as cable_tensions
    from robosym.studies.singular_poses import dexterity as dexterity, singularities as singularities
    from robosym.studies.certified import singularity_free as singularity_free, workspace_volume as workspace_volume
    from robosym.studies.platform_workspace import workspace as workspace
    from robosym.time_limits import time_limit as time_limit
else:

    def __getattr__(name: str) -> Any:
        home = _HOME_OF.get(name)
        if name in _RENAMED:
            warnings.warn(f"rs.{name}: {_RENAMED[name]}", DeprecationWarning, stacklevel=2)
            return getattr(import_module("robosym.mechanism"), name)
        if home is None:
            raise AttributeError(f"module 'robosym' has no attribute {name!r}")
        value = getattr(import_module(f"robosym.{home}"), name)
        own = value
        while hasattr(own, "__wrapped__"):
            own = own.__wrapped__
        if getattr(getattr(own, "__code__", None), "co_varnames", ())[:1] == ("robot",):
            value = _taking_names(value)
        globals()[name] = value  # found at once from now on
        return value

    def _taking_names(function: Any) -> Any:
        """Return the function, wrapped so that a robot may be given by name or path."""

        @wraps(function)
        def loading(robot: Any, *arguments: Any, **keywords: Any) -> Any:
            if isinstance(robot, (str, PathLike)):
                from robosym.formats import load

                robot = load(robot)
            if getattr(robot, "transmission", None) is not None and not hasattr(function, "accepted"):
                from robosym.errors import InputError

                raise InputError(
                    f"{function.__name__} does not take a robot with a transmission: pass robot.in_joints()"
                )
            return function(robot, *arguments, **keywords)

        return loading


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
