"""The coordinates of the models of a robot, and how every joint follows from them.

accepts, roles                 which robots and options a public function takes; who drives which joint
joint_motion, active_joints    rates, accelerations, G and its drift, projection of efforts, for trees and for loops
motor_coordinates              models of joints as models of the motors of a transmission

loops, cut                     a loop and its cut, planar loops, free directions of a cut (guide 1.4, 2.2.2, 2.6)
gaps, closing                  numerical gaps of the loops, and positions that close them within one mode
closed_samples                 generic closed positions; which loops are parallelograms, not crossed
choice, constraints            independent rows and pivots; the constraint equations (2.36 to 2.40a)

legs, leg, leg_chain, strut, rod   the legs of a platform, as chains or by vectors
platform_motion, platform_poses    pose, twist and acceleration of a platform; ends of legs in numbers
series_of_modules                  modules in series
reference, reference_position      reference position of a platform, and the branches of its legs
"""
