"""Which motors a task needs."""

from robosym.sizing.motor_loads import Motor, MotorLoads, motor_loads

__all__ = ["Motor", "MotorLoads", "motor_loads"]
