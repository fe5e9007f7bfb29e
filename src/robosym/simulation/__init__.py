"""Motions of robots: a model of what moves, integrators, and what is made of the result.

system     the derivative of the state as one model, of trees, closed and parallel robots, floating bases
stick      dry friction that holds a joint at rest
hardware   limits of motors, other efforts, stops and friction between a torque asked for and the joint
motions    a motion over time, whatever it is given as, and what drives one; motion_columns its tables
motor_loads torques and speeds of motors along a motion, and motors that bear them
start      values of symbols, and where a motion begins
integration fixed steps (`runtime/march.py`), variable ones by SciPy, controllers called from time to time
cycle      the motion that limited motors attain
run        the result; `drawing/charts.py` draws it, `drawing/draw.py` plays it
"""

from robosym.simulation.motor_loads import MotorLoads, motor_loads
from robosym.simulation.run import Simulation
from robosym.simulation.simulate import simulate

__all__ = ["MotorLoads", "Simulation", "motor_loads", "simulate"]
