"""Planning of motions: time laws, splines, and the fastest motion along a path.

piecewise       polynomials between breaks, and splines
reachable       the speeds along a path from which its end can be reached, as a plain function
time_optimal    the fastest motion along a path within limits of velocity, acceleration and torque
"""
