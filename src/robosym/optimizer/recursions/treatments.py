"""Treatments of links in a recursion over second moments, among which the search chooses.

own     in the axes of its frame, as in the book;
turned  in the axes before its joint rotates: its moments are rotated instead of motion and wrench;
lumped  the last link of a branch: its rotated moments are added to those of the antecedent, whose motion it shares
        except for that of its joint, which requires a wrench with few terms;
mixed   the same except for Sxx, Sxy and Syy, which stay with the link;
transverse
        a link after a fixed first axis and parallel ones: its second moments, or all of it, in closed form
        (transverse.py);
past    the same, and the force on its first moments is added directly to the joint torques.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from robosym.mechanism.bodies import Tree
from robosym.optimizer.recursions.transverse import transverse_link

__all__ = ["ACROSS", "LUMPED", "MIXED", "OF_WEIGHTS", "OWN", "PAST", "TURNED", "CompositeOptions", "Treatments"]

OWN, TURNED, LUMPED, MIXED, ACROSS, PAST = "own", "turned", "lumped", "mixed", "transverse", "past"


@dataclass(frozen=True)
class Treatments:
    """The treatment of each link, `own` by default, and whether parallel axes are rotated by sums of angles."""

    ways: Mapping[int, str] = field(default_factory=dict)
    slid: frozenset[int] = frozenset()  #: joints whose frame has its origin shifted along the axis, to r = 0
    sums_outward: bool = False  #: motion of a link from the link before the first of parallel axes
    sums_inward: bool = False  #: moments to the link before the first of parallel axes
    phases: bool = False  #: rotate constants of links with phases (phases.py)
    points: frozenset[int] = frozenset()  #: joints with a mass at their origin in place of a first moment
    unit: tuple[int, str] | None = None  #: the length that is the unit: d or r of a frame (lengths.py)

    def ways_in(self, tree: Tree) -> dict[int, str]:
        """Return the treatment of every link, `own` if its joint or its place in the tree does not allow another."""
        carriers = {0, *(body.ant for _, body in tree.items())}

        def way(j: int) -> str:
            body, wanted = tree.body(j), self.ways.get(j, OWN)
            last = j not in carriers and body.ant != 0
            if wanted in (ACROSS, PAST) and transverse_link(tree, j) is None:
                return OWN
            return wanted if body.joint.only_turns and (wanted not in (LUMPED, MIXED) or last) else OWN

        return {j: way(j) for j, _ in tree.items()}


@dataclass(frozen=True)
class CompositeOptions:
    """Options of composite links (composites.py)."""

    sums: bool = False  #: parallel axes are rotated by the sum of their angles
    phases: bool = False  #: constants are rotated separately, with phases
    apart: frozenset[int] = frozenset()  #: joints whose load keeps its reference points
    weights_before: bool = True  #: compute weights of all links, not only the last ones, before the joint rotates
    unit: tuple[int, str] | None = None  #: the length that is the unit: d or r of a frame (lengths.py)


#: Options to try for weights only.
OF_WEIGHTS = [CompositeOptions(sums, weights_before=before) for before in (False, True) for sums in (False, True)]
