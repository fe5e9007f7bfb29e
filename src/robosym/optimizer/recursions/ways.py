"""How a recursion over second moments treats each link: what the search chooses among.

own     in the axes of its frame, as the book does;
turned  in the axes before its joint turns: its moments are turned instead of motion and wrench;
lumped  the last link of a branch: its turned moments are added to those of the antecedent, whose motion it shares but
        for the motion of its joint, which takes a wrench of few terms;
mixed   the same but for Sxx, Sxy and Syy, which stay with the link;
across  a link behind a first axis that stands still and parallel ones: its second moments, or all of it, in closed form
        (across.py);
past    the same, and the force on its first moments, which goes past the links before it to the joints' torques.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from robosym.mechanism.bodies import Tree
from robosym.optimizer.recursions.across import across

__all__ = ["ACROSS", "LUMPED", "MIXED", "OF_WEIGHTS", "OWN", "PAST", "TURNED", "Choice", "Gathering"]

OWN, TURNED, LUMPED, MIXED, ACROSS, PAST = "own", "turned", "lumped", "mixed", "across", "past"


@dataclass(frozen=True)
class Choice:
    """How each link is treated, `own` where nothing is said, and whether parallel axes are turned by sums of angles."""

    ways: Mapping[int, str] = field(default_factory=dict)
    slid: frozenset[int] = frozenset()  #: joints whose frame has its origin slid back along the axis, to r = 0
    sums_outward: bool = False  #: motion of a link from the link before the first of parallel axes
    sums_inward: bool = False  #: moments to the link before the first of parallel axes
    phases: bool = False  #: constants of links that are turned have a phase each (phases.py)
    points: frozenset[int] = frozenset()  #: joints at whose origin a mass stands for a first moment before (lengths.py)
    unit: tuple[int, str] | None = None  #: the length that is the unit of length: d or r of a frame (lengths.py)

    def ways_in(self, tree: Tree) -> dict[int, str]:
        """Of every link, those ways left out that its joint or its place in the tree does not allow."""
        carriers = {0, *(body.ant for _, body in tree.items())}

        def way(j: int) -> str:
            body, wanted = tree.body(j), self.ways.get(j, OWN)
            last = j not in carriers and body.ant != 0
            if wanted in (ACROSS, PAST) and across(tree, j) is None:
                return OWN
            return wanted if body.joint.only_turns and (wanted not in (LUMPED, MIXED) or last) else OWN

        return {j: way(j) for j, _ in tree.items()}


@dataclass(frozen=True)
class Gathering:
    """How composite links are put together (composites.py)."""

    sums: bool = False  #: parallel axes are turned by the sum of their angles
    phases: bool = False  #: what stands still is turned apart from the rest, with phases
    apart: frozenset[int] = frozenset()  #: joints whose burden keeps its points of reference
    weights_before: bool = True  #: weights of all links, not the last ones alone, act in the axes before a joint turns
    unit: tuple[int, str] | None = None  #: the length that is the unit of length: d or r of a frame (lengths.py)


#: What is tried where weights alone are wanted.
OF_WEIGHTS = [Gathering(sums, weights_before=before) for before in (False, True) for sums in (False, True)]
