"""Motions of robots: a model of what moves, integrators, and what is made of the result.

system     the derivative of the state as one model, of trees, closed and parallel robots, floating bases
stick      dry friction that holds a joint at rest
efforts    limits of motors, other efforts and stops between a torque asked for and the joint
hardware   these and friction, as a user gives them
motions    a motion over time, whatever it is given as; motion_columns its tables
motor_loads torques and speeds of motors along a motion, and motors that bear them
sources    torques and desired motions as the table that the integrator reads
start      where a motion begins
held_torques controllers that are called from time to time
solvers    variable steps, by SciPy; fixed ones are in `runtime/march.py`
cycle      the motion that limited motors attain
events     where something passes zero
run        the result; plot draws it, `drawing/moving.py` plays it
"""

from robosym.simulation.motor_loads import MotorLoads, motor_loads
from robosym.simulation.run import Simulation
from robosym.simulation.simulate import simulate

__all__ = ["MotorLoads", "Simulation", "motor_loads", "simulate"]
