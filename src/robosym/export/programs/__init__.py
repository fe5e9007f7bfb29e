"""Folders for other programs: MATLAB, Octave and Simulink, Modelica, acados."""
