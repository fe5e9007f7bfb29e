"""Limits of the optimizer's searches, with their reasons.

The time of a search is the number of candidate models times the time for one, which grows with the links of a robot or
the operations of a model; these limits keep the product within seconds. The cost of a model itself is in goals.py.
"""

from __future__ import annotations

__all__: list[str] = []  # used as effort.LONG

# ----------------------------------------------------------------------------------------- among recursions: links

#: Near the base the motion has few terms, and a link may be cheaper in axes that do not rotate with it.
NEAR_BASE = 3
#: Recursions of longer arms are compared before the passes, which would take too long for each; masses at origins,
#: phases and units of length are not tried.
LONG = 10
#: In longer arms the origins of intermediate links are not shifted along their axes: there are too many of them.
SLID_ANYWHERE = 12
#: In longer robots with loops not every treatment of a link is tried: each trial recomputes the loops.
LOOPS = 16
#: In longer robots the energy functions are not computed from the antecedent link by link.
ENERGY = 20
#: In longer arms only the second and the last link are tried: a trial takes a second, and others gain nothing.
LONGEST = 40
#: The passes gain a few percent: a recursion that costs more than this share above the best is not finished.
MARGIN = 0.03
#: Number of the best recursions that get all passes, or are differentiated, which may change their order.
KEPT = 4

# ----------------------------------------------------------------------------------------- among forms: operations

#: Another recursion with less than this share of the operations is better than the given one after all passes.
FAR = 0.88
#: Number of consecutive rewrites without a gain after which the passes stop.
ROUNDS = 3
#: In larger models the passes use one weight, on one recursion, for one more round.
LARGE = 3000
#: Number of walks over the forms of a model (the best one continues), and the maximum number of operations.
WALKS, WALKED = 4, 6000
#: Further walks without a gain: for models of at most SMALL operations, which are quick, and for others.
SMALL, WALKS_OF_SMALL, WALKS_OF_OTHERS = 100, 8, 1
#: The same if a time limit is given.
WALKS_IN_BUDGET = 40
#: A walk ends PATIENCE steps plus twice the steps to the last gain, and at the latest after MOST_STEPS.
PATIENCE, MOST_STEPS = 150, 1200
#: Maximum number of kernels examined in a walk: long sums, as in closed robots, have many per step.
KERNELS = 300_000
#: Number of models from which forms for speed are searched, and the maximum number of operations.
STARTS, ARRANGED = 2, 1500

# ------------------------------------------------------------------------------------------------------- times

#: Time to generate a recursion, relative to the time to prune and count a model.
GENERATING = 5
#: Time to rewrite, count and compare a model, relative to the time to read it.
WRITING = 4
#: Time limit in seconds for the form of a file for a compiler.
FILE = 5.0
#: Maximum number of nodes of a model for whose machine code another recursion is generated, which takes long, too.
COMPILED = 10_000
