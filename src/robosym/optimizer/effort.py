"""How far the optimizer looks: every limit of its searches in one table, with the reason for it.

A search takes (number of models tried) x (time for one). What one takes grows with the links of a robot, or the
operations of a model; the limits below keep the product within seconds. What a model itself costs is in goals.py.
"""

from __future__ import annotations

__all__: list[str] = []  # read as effort.LONG

# ----------------------------------------------------------------------------------------- among recursions: links

#: Near the base the motion has few terms, and a link may be cheaper in axes that do not turn with it.
NEAR_BASE = 3
#: Of a longer arm the recursions are compared before the passes, which would take too long for each, and masses at
#: origins, phases and units of length are not tried.
LONG = 10
#: Of a longer arm the origins of links between the first and the last ones are not slid: there are too many of them.
SLID_ANYWHERE = 12
#: Of a longer robot with loops not every way of a link is tried: each trial takes its loops anew.
LOOPS = 16
#: Of a longer robot the functions of the energy are not taken from the antecedent link by link.
ENERGY = 20
#: Of a longer arm only the second and the last link are tried: a trial takes a second, and others gain nothing there.
LONGEST = 40
#: The passes gain a few hundredths of a recursion: one that costs so much more before them is not finished.
MARGIN = 0.03
#: Number of the best recursions that get all the passes, or are differentiated: that may change their order.
KEPT = 4

# ----------------------------------------------------------------------------------------- among forms: operations

#: Another recursion with so small a part of the operations is beyond what the passes gain on the given one.
FAR = 0.88
#: How often in a row the passes may find nothing new when everything is written again.
ROUNDS = 3
#: Of a larger model the passes are run with one weight, on one recursion, for one more round.
LARGE = 3000
#: Walks over the forms of a model; the best of them goes on. Of a larger model none: a step takes long.
WALKS, WALKED = 4, 6000
#: Further walks without a gain: of a model of at most SMALL operations, which is walked over quickly, or any other.
SMALL, WALKS_OF_SMALL, WALKS_OF_OTHERS = 100, 8, 1
#: The same where a budget of time is given.
WALKS_IN_BUDGET = 40
#: Steps of a walk: it ends after PATIENCE steps and twice those to the last gain, and after MOST_STEPS.
PATIENCE, MOST_STEPS = 150, 1200
#: Kernels that a walk looks at: long sums, as those of closed robots, have many per step.
KERNELS = 300_000
#: Models from which forms for speed are looked for. Of a larger model none are.
STARTS, ARRANGED = 2, 1500

# ------------------------------------------------------------------------------------------------------- times

#: A recursion is generated in so many times the time in which a model is pruned and counted.
GENERATING = 5
#: A model is read in that part of the time in which it is written again, counted and compared.
WRITING = 4
#: Seconds in which the form of a file for a compiler is looked for.
FILE = 5.0
#: Nodes of the largest model for whose machine code another recursion is made: that takes long, too.
COMPILED = 10_000
