"""Planning of motions: time laws, splines, trajectories, and the fastest motion along a path.

piecewise             polynomials between breaks, and splines
time_laws             time laws from rest to rest: polynomials, trapezoidal and double-S profiles
blended_lines         lines of constant velocity with rounded corners
joint_trajectory      trajectories of joints through positions; torque_stretch slows them down to respect torque limits
pose_segments         lines and arcs between poses
cartesian_trajectory  trajectories of a frame along them
curve_model           piecewise polynomials of time as models
trajectory_generator  models whose start, goal and limits are inputs
reachable             the speeds along a path from which its end can be reached, as plain functions
time_optimal          the fastest motion along a path within limits of velocity, acceleration and torque
"""
