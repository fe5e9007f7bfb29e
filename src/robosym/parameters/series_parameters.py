"""Base inertial parameters of a hybrid robot: each module on a moving base, from the last to the first.

Parameters that a module groups with its base belong to the link that carries it. If a platform with six degrees of
freedom carries the other modules, their bases move without restriction, and the rules of trees and of spherical joints
apply (GS 56-66); otherwise the equivalent robot with loops is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from robosym.algebra import Expr, Graph, substitute, symbols
from robosym.coordinates.leg_chain import ends_in_ball
from robosym.mechanism import INERTIA, Robot
from robosym.mechanism.motion import frame_transform
from robosym.parameters.base_set import symbolic_base
from robosym.parameters.closed_parameters import Grouped, as_entries, by_closed, standard_of
from robosym.parameters.platform_parameters import last_link_mass, on_free_balls, tree_without_balls
from robosym.parameters.standard import LinkField, inertial_fields, named, unused
from robosym.spatial.inertia import RigidInertia

__all__ = ["series_base"]


def series_base(robot: Robot, method: str) -> Grouped:
    """Return the base parameters of a robot of modules; names of the platform of module k end in Pk.

    `method="numeric"` uses the equivalent robot with loops, checked by ranks.
    """
    letters = {module.end: f"P{k}" for k, module in enumerate(robot.modules, 1) if module.has_platform}
    found = _by_rules(robot, letters) if method == "symbolic" and _moves_freely(robot) else None
    return found or by_closed(robot, letters, method)


def _moves_freely(robot: Robot) -> bool:
    """Whether all modules except the first have unrestricted bases, and the rules cover them."""

    def known(part: Robot) -> bool:
        return all(ends_in_ball(part, leg) for leg in range(len(part.legs)))

    first, *others = robot.module_robots()
    return bool(first.modules) and on_free_balls(first) and all(map(known, (first, *others)))


def _by_rules(robot: Robot, letters: Mapping[int, str]) -> Grouped | None:
    graph = Graph()
    parts = robot.module_robots()
    ends = {leg[-1] for leg in robot.legs}  # the last link of a leg is the platform
    bodies = {j for module in robot.modules for j in range(module.first, module.last + 1) if j not in ends}
    standard = standard_of(robot, bodies | {module.end for module in robot.modules}, closed=True)
    grouping: dict[LinkField, Expr] = {}
    carried = RigidInertia(*(10 * [graph.zero]))  # parameters that the next module adds to the end of this one
    for k in range(len(robot.modules) - 1, -1, -1):
        module, part = robot.modules[k], parts[k]
        at, end = module.first - 1, module.end
        ending = as_entries(graph, standard.inertia(graph, end) + carried)
        changes: dict[LinkField, Expr] = {(end, name): value for name, value in ending.items()}
        tree, numbers = part, {j: at + j for j in range(1, part.NF + 1)}
        if module.has_platform:
            tree, own = tree_without_balls(part)
            numbers = {j: at + i for j, i in own.items() if j}
            for leg in range(len(part.legs)):
                given = last_link_mass(part, leg, graph, lambda j: standard.inertia(graph, at + j))  # noqa: B023
                if given is None:
                    return None
                last, share, gain = given
                for name, less in as_entries(graph, share).items():
                    changes[at + last, name] = standard.symbol(graph, (at + last, name)) - less
                for name, more in as_entries(graph, gain).items():
                    changes[end, name] = changes[end, name] + more
        base = symbolic_base(_on_moving_base(tree) if k else tree, False)
        values = {
            p.name: changes.get((numbers[p.link], p.field), standard.symbol(graph, (numbers[p.link], p.field)))
            for p in base.standard.inertial if p.link
        }  # fmt: skip
        values |= {p.name: graph.zero for p in base.standard.inertial if not p.link}
        forms = dict(zip(base.places.values(), substitute(base.grouping.values(), graph, values), strict=True))
        base_link = {name: forms.pop((0, name), graph.zero) for name in INERTIA}
        place = frame_transform(robot.frame(module.place), lambda e: graph.copy([e])[0], 0)
        carried = RigidInertia(*base_link.values()).moved(place)
        grouping |= {(numbers[link], name): value for (link, name), value in forms.items() if not value.is_zero}
        if module.has_platform:
            own_end = {(end, name): changes[end, name] for name in INERTIA}
            grouping |= {place: value for place, value in own_end.items() if not value.is_zero}
    order = sorted(grouping, key=lambda place: (place[0], inertial_fields.index(place[1])))
    names, places = named({place: grouping[place] for place in order}, standard, robot, letters)
    return Grouped(standard, names, places)


def _on_moving_base(tree: Robot) -> Robot:
    """Return the tree on an unrestricted base with its own inertia (XX0 ..)."""
    zero = tree.graph.zero
    link = replace(tree.links[0], **dict.fromkeys(("IA", "FV", "FS", "FX", "FY", "FZ", "CX", "CY", "CZ"), zero))
    taken = set(symbols(entry for _, _, entry in tree.entries()))
    link = replace(link, **{name: tree.graph.symbol(unused(f"{name}0", taken, "J")) for name in INERTIA})
    return replace(tree, base=replace(tree.base, kind="floating", link=link))
