"""Closed loops, in one direction: structure, shape, numbers, equations, models.

structure        a Loop: two ways from its root to the two sides of its cut (guide 1.4), and the chain round it
parallelogram    loops in a plane, and which of their links stay parallel (2.2.2, 4.5.2)
cut              what a cut joint, with the virtual joints that belong to it, leaves free (2.6, remarks 1 and 2)
cut_position     where the sides of a cut stand to each other: the variable of a cut joint from those of the tree

gaps             in numbers: how far apart the sides of the cuts are, and the derivative of that
closing          in numbers: positions in which the loops close, and the rates that keep them closed
component        positions reached from a reference position without leaving its mode
closed_samples   closed positions of no particularity
assembly         which loops are parallelograms, and not crossed, in the mode of the robot

choice           decided at such positions: which rows are independent, which entries are zero, which are pivots
drift            what the rates make of the acceleration across a cut (2.40a)
constraints      the constraint equations of all loops: Wa .. Wc (2.36), W (2.39), Psi and Phi (2.40a)
"""
