"""Base inertial parameters of a hybrid robot: each module on a moving base, from the last to the first.

What a module groups with its base belongs to the link that carries it. Where a platform with six degrees of freedom
carries the others, each of them stands on a base that moves in every way, and the rules of trees and of spherical
joints hold (GS 56-66); otherwise the robot with loops decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from robosym.algebra import Expr, Graph, substitute, symbols
from robosym.algebra.once import cached_property
from robosym.coordinates.leg_chain import ends_in_ball
from robosym.errors import InputError
from robosym.mechanism import INERTIA, Hybrid, Module, Parallel, Robot
from robosym.mechanism.frame import frame_transform
from robosym.parameters.base import BaseParameters, symbolic_base
from robosym.parameters.closed_parameters import Grouped, as_entries, by_closed, links_of_closed, standard_of
from robosym.parameters.platform_parameters import last_link_mass, on_free_balls, tree_without_balls
from robosym.parameters.standard import LinkField, Standard, inertial_fields, named, unused
from robosym.spatial.inertia import RigidInertia

__all__ = ["HybridParameters", "base_parameters"]


@dataclass(frozen=True, eq=False, repr=False)
class HybridParameters(BaseParameters):
    """The base parameters of all modules; `.robot` is the hybrid robot that has only them."""

    hybrid: Hybrid | None = field(default=None, repr=False)

    @cached_property
    def robot(self) -> Any:
        assert self.hybrid is not None
        carrier: Robot = BaseParameters.robot.func(self)  # type: ignore[attr-defined]
        return self.hybrid.through(lambda _: carrier)


def base_parameters(robot: Hybrid, method: str = "symbolic") -> HybridParameters:
    """`.names`, `.grouping`, `.eliminated` and `.robot` as of a robot; frames are numbered through, names of the
    platform of module k end in Pk. `method="numeric"` asks the robot with loops, checked by ranks."""
    if method not in ("symbolic", "numeric"):
        raise InputError(f"method: expected 'symbolic' or 'numeric', found {method!r}")
    ends = robot.platform_frames()
    letters = {e: f"P{k}" for k, (m, e) in enumerate(zip(robot.modules, ends, strict=True), 1) if _is_parallel(m)}
    found = _by_rules(robot, ends, letters) if method == "symbolic" and _moves_freely(robot) else None
    if found is None:
        found = by_closed(robot, _links(robot, ends), letters, method)
    return HybridParameters(
        robot.carrier(), found.standard, found.grouping, found.places, found.method, remark=found.remark, hybrid=robot
    )


def _is_parallel(module: Module) -> bool:
    return isinstance(module.robot, Parallel)


def _moves_freely(robot: Hybrid) -> bool:
    """Whether all modules but the first stand on bases that move in every way, and the rules know them."""

    def known(module: Module) -> bool:
        own = module.robot
        return not isinstance(own, Parallel) or all(ends_in_ball(own, leg) for leg in range(len(own.legs)))

    first = robot.modules[0].robot
    return isinstance(first, Parallel) and on_free_balls(first) and all(map(known, robot.modules))


def _links(robot: Hybrid, ends: tuple[int, ...]) -> dict[int, int]:
    """The links of the closed robot by their numbers, and those that they have in the carrier; places of modules are
    its last frames."""
    found: dict[int, int] = {}
    start = 0
    marks = robot.carrier().NF - len(robot.modules)
    for k, (module, at, end) in enumerate(zip(robot.modules, robot.offsets, ends, strict=True), 1):
        if not module.stands_plain:
            start += 1
            found[start] = marks + k
        if isinstance(module.robot, Parallel):
            own = links_of_closed(module.robot, 0)
            found |= {start + j: at + i if i else end for j, i in own.items()}
            start += len(own)
        else:
            found |= {start + j: at + j for j in range(1, module.robot.NL + 1)}
            start += module.robot.NL
    return found


def _by_rules(robot: Hybrid, ends: tuple[int, ...], letters: Mapping[int, str]) -> Grouped | None:
    graph = Graph()
    bodies = {j for module, at in zip(robot.modules, robot.offsets, strict=True) for j in _bodies(module, at)}
    standard = standard_of(robot.carrier(), {*bodies, *ends}, closed=True)
    grouping: dict[LinkField, Expr] = {}
    carried = RigidInertia(*(10 * [graph.zero]))  # what the module after gives to the end of this one
    for k in range(len(robot.modules) - 1, -1, -1):
        module, at, end = robot.modules[k], robot.offsets[k], ends[k]
        ending = as_entries(graph, _own(graph, standard, end) + carried)
        changes: dict[LinkField, Expr] = {(end, name): value for name, value in ending.items()}
        tree, numbers = module.tree, {j: at + j for j in range(1, module.tree.NF + 1)}
        if isinstance(module.robot, Parallel):
            tree, own = tree_without_balls(module.robot)
            numbers = {j: at + i for j, i in own.items() if j}
            for leg in range(len(module.robot.legs)):
                given = last_link_mass(module.robot, leg, graph, lambda j: _own(graph, standard, at + j))  # noqa: B023
                if given is None:
                    return None
                last, share, gain = given
                for name, part in as_entries(graph, share).items():
                    changes[at + last, name] = _entry(graph, standard, (at + last, name)) - part
                for name, part in as_entries(graph, gain).items():
                    changes[end, name] = changes[end, name] + part
        base = symbolic_base(_on_moving_base(tree) if k else tree, False)
        values = {
            p.name: changes.get((numbers[p.link], p.field), _entry(graph, standard, (numbers[p.link], p.field)))
            for p in base.standard.inertial if p.link
        }  # fmt: skip
        values |= {p.name: graph.zero for p in base.standard.inertial if not p.link}
        forms = dict(zip(base.places.values(), substitute(base.grouping.values(), graph, values), strict=True))
        base_link = {name: forms.pop((0, name), graph.zero) for name in INERTIA}
        place = frame_transform(module.place, lambda e: graph.copy([e])[0], 0)
        carried = RigidInertia(*base_link.values()).moved(place)
        grouping |= {(numbers[link], name): value for (link, name), value in forms.items() if not value.is_zero}
        if isinstance(module.robot, Parallel):
            own_end = {(end, name): changes[end, name] for name in INERTIA}
            grouping |= {place: value for place, value in own_end.items() if not value.is_zero}
    order = sorted(grouping, key=lambda place: (place[0], inertial_fields.index(place[1])))
    names, places = named({place: grouping[place] for place in order}, standard, robot.carrier(), letters)
    return Grouped(standard, names, places)


def _bodies(module: Module, at: int) -> list[int]:
    """The links of a module that have an inertia of their own, numbered through; a platform apart."""
    ends = {leg[-1] for leg in module.robot.legs} if isinstance(module.robot, Parallel) else set()
    return [at + j for j in range(1, module.tree.NL + 1) if j not in ends]


def _on_moving_base(tree: Robot) -> Robot:
    """The tree on a base that moves in every way, with an inertia of its own (XX0 ..)."""
    zero = tree.graph.zero
    link = replace(tree.links[0], **dict.fromkeys(("IA", "FV", "FS", "FX", "FY", "FZ", "CX", "CY", "CZ"), zero))
    taken = set(symbols(entry for _, _, entry in tree.entries()))
    link = replace(link, **{name: tree.graph.symbol(unused(f"{name}0", taken, "J")) for name in INERTIA})
    return replace(tree, base=replace(tree.base, kind="floating", link=link))


def _entry(graph: Graph, standard: Standard, place: LinkField) -> Expr:
    """The standard parameter at a place; zero where the link has none."""
    own = standard.at.get(place)
    return graph.zero if own is None else graph.symbol(own.name)


def _own(graph: Graph, standard: Standard, link: int) -> RigidInertia:
    return RigidInertia(*(_entry(graph, standard, (link, name)) for name in INERTIA))
