"""Base inertial parameters of a parallel robot: legs by the rules of trees, then the platform (GS 39-66).

A point mass at the centre of a spherical joint may stand on the leg or on the platform. One parameter of the last link
of each such leg goes to the platform that way: its mass behind a prismatic joint (GS 56-66), its first moment along x
behind a revolute one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from robosym.algebra import Expr, Graph, substitute, symbols
from robosym.description import INERTIA, Frame, Parallel, Robot
from robosym.errors import InputError
from robosym.parallel.leg_chain import ends_in_ball
from robosym.parallel.point_mass import point_mass
from robosym.parameters.base import BaseParameters, symbolic_base
from robosym.parameters.standard import LinkField, standard_parameters
from robosym.tree.frame import frame_transform

__all__ = ["PlatformParameters", "base_parameters", "reduced"]


@dataclass(frozen=True, eq=False, repr=False)
class PlatformParameters(BaseParameters):
    """The base parameters of legs and platform; `.robot` is the parallel robot that has only them."""

    parallel: Parallel | None = field(default=None, repr=False)

    @cached_property
    def robot(self) -> Any:
        assert self.parallel is not None
        carrier = _carrier_with_base(self)
        return self.parallel.through(lambda _: carrier)


def _carrier_with_base(base: BaseParameters) -> Robot:
    return BaseParameters.robot.func(base)  # type: ignore[attr-defined,no-any-return]


def reduced(robot: Parallel) -> Parallel:
    """The robot with its base parameters only."""
    found: Parallel = base_parameters(robot).robot
    return found


def base_parameters(robot: Parallel) -> PlatformParameters:
    """The base parameters of a robot whose legs all end in a spherical joint, with six degrees of freedom.

    `.names`, `.grouping`, `.eliminated` and `.robot` as of a robot; the platform's names end in P.
    """
    if not all(ends_in_ball(robot, leg) for leg in range(len(robot.legs))):
        raise InputError(
            f"{robot.name}: base parameters follow by rule where every leg ends in a spherical joint on the platform: "
            "ask for those of the robot with loops of to_closed()"
        )
    graph = Graph()
    standard = standard_parameters(robot.carrier())
    core, numbers_of = _without_balls(robot)
    legs = symbolic_base(core, False)
    own_names = {p.name: _symbol(graph, standard, (numbers_of[p.link], p.field)) for p in legs.standard.inertial}
    forms = substitute(legs.grouping.values(), graph, own_names)
    changes: dict[str, Expr] = {}
    platform = {name: _symbol(graph, standard, (robot.platform_frame, name)) for name in INERTIA}
    for leg, numbers in enumerate(robot.legs):
        last = numbers[-4]
        own = {name: _symbol(graph, standard, (last, name)) for name in INERTIA}
        centre = _point(robot.tree.frame(numbers[-3]), graph)
        mass = own["M"] if robot.tree.frame(last).joint_type.only_slides else own["MX"] / centre[0]
        there = point_mass(mass, *_point(robot.places[leg], graph))
        for name, share, gain in zip(INERTIA, point_mass(mass, *centre), there, strict=True):
            assert isinstance(share, Expr)
            assert isinstance(gain, Expr)
            changes[own[name].name or name] = own[name] - share
            platform[name] = platform[name] + gain
    grouping: dict[str, Expr] = {}
    places: dict[str, LinkField] = {}
    for (link, name), value in zip(legs.places.values(), substitute(forms, graph, changes), strict=True):
        if not value.is_zero:
            place = numbers_of[link], name
            alone = standard.at.get(place)
            named = alone.name if alone is not None and value.name == alone.name else f"{name}{place[0]}R"
            grouping[named], places[named] = value, place
    for name, value in platform.items():
        grouped = f"{name}PR" if len(list(symbols([value]))) > 1 else f"{name}P"
        grouping[grouped], places[grouped] = value, (robot.platform_frame, name)
    return PlatformParameters(robot.carrier(), standard, grouping, places, parallel=robot)


def _without_balls(robot: Parallel) -> tuple[Robot, dict[int, int]]:
    """The tree of the legs up to their spherical joints, and the numbers that its frames have in the robot."""
    tree = robot.tree
    kept = [j for numbers in robot.legs for j in numbers[:-3]]
    new = {0: 0} | {j: k for k, j in enumerate(kept, 1)}
    frames = tuple(replace(tree.frame(j), ant=new[tree.frame(j).ant]) for j in kept)
    links, joints = tuple(tree.link(j) for j in kept), tuple(tree.joint(j) for j in kept)
    core = replace(tree, frames=frames, links=links, joints=joints, frame_names={}, position={})
    return core, {k: j for j, k in new.items()}


def _symbol(graph: Graph, standard: Any, place: LinkField) -> Expr:
    """The standard parameter at a place; zero where the link has none."""
    own = standard.at.get(place)
    return graph.zero if own is None else graph.symbol(own.name)


def _point(frame: Frame, graph: Graph) -> tuple[Expr, Expr, Expr]:
    """The origin of a frame seen from its antecedent, its joint variable on its own axis left out."""
    entries = {e: graph.copy([e])[0] for e in (frame.gamma, frame.b, frame.alpha, frame.d, frame.theta, frame.r)}
    P = frame_transform(frame, entries.__getitem__, 0).P
    x, y, z = (graph.zero + e for e in P)
    return x, y, z
