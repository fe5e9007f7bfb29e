"""Simulation of robots: the model of the state derivative, integrators, and results.

system         derivative of the state as one model, for trees, closed and parallel robots, floating bases
stick          static friction that holds a joint at rest
bristles       LuGre friction
hardware       motor limits, disturbances, stops and friction between the commanded torque and the joint
motion_limits  limits of positions, velocities, accelerations and torques
motions        motions over time in any form, and inputs over time; motion_columns reads their tables
motor_loads    torques and speeds of motors along a motion, and selection of motors
motor_heat     temperatures of motors along a repeated motion
start          values of symbols and initial state
integration    fixed steps (`runtime/fixed_step.py`), variable steps by SciPy, sampled controllers
cycle          motion that limited motors achieve
planning       time laws, splines, and the fastest motion along a path
state_derivative  the same model for other programs: acados, CasADi, python-control
run            result; `drawing/charts.py` plots it, `drawing/draw.py` animates it
"""

from robosym.simulation.motor_loads import MotorLoads, motor_loads
from robosym.simulation.planning.cartesian_trajectory import CartesianTrajectory, cartesian_trajectory
from robosym.simulation.planning.joint_trajectory import JointTrajectory, joint_trajectory
from robosym.simulation.planning.time_optimal import OptimalMotion, time_optimal_motion
from robosym.simulation.planning.trajectory_generator import trajectory_generator
from robosym.simulation.run import Simulation
from robosym.simulation.simulate import simulate
from robosym.simulation.state_derivative import StateModel, state_derivative

__all__ = [
    "CartesianTrajectory", "JointTrajectory", "MotorLoads", "OptimalMotion", "Simulation", "StateModel",
    "cartesian_trajectory", "joint_trajectory", "motor_loads", "simulate", "state_derivative", "time_optimal_motion",
    "trajectory_generator",
]  # fmt: skip
