"""Base parameters of robots with platforms by those of the same machine as a robot with loops, in their own numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robosym.algebra import Expr, Graph, evaluate, substitute, symbols
from robosym.algebra.generic import generic_values
from robosym.algebra.linear.regular import sizes_at, solve
from robosym.algebra.subspaces import independent_columns
from robosym.algebra.tolerances import RANK
from robosym.errors import InputError
from robosym.mechanism import INERTIA, Robot
from robosym.mechanism.series import closed_form
from robosym.parameters.base_set import BaseParameters, base_of_joints
from robosym.parameters.linear_forms import linear_coefficients
from robosym.parameters.standard import LinkField, Standard, named, standard_parameters
from robosym.spatial import Scalar
from robosym.spatial.inertia import RigidInertia

__all__ = ["Grouped", "as_entries", "by_closed", "standard_of"]


@dataclass(frozen=True)
class Grouped:
    """Standard parameters over the carrier of a robot, and the base parameters that they make."""

    standard: Standard
    grouping: Mapping[str, Expr]
    places: Mapping[str, LinkField]
    method: str = "symbolic"
    remark: str = ""


def as_entries(graph: Graph, inertia: RigidInertia) -> dict[str, Expr]:
    """The ten parameters of a body as expressions, by field."""
    entries: list[Scalar] = [*inertia]
    return {name: graph.zero + value for name, value in zip(INERTIA, entries, strict=True)}


def standard_of(carrier: Robot, bodies: Iterable[int], closed: bool) -> Standard:
    """The standard parameters of the bodies among the links of a carrier; its other frames are marks."""
    known = set(bodies)
    found = standard_parameters(carrier, closed)

    def of_bodies(parameters: Any) -> Any:
        return tuple(p for p in parameters if p.link in known)

    return replace(found, inertial=of_bodies(found.inertial), apart=of_bodies(found.apart))


def by_closed(robot: Robot, letters: Mapping[int, str], method: str = "symbolic") -> Grouped:
    """Base parameters of `robot.to_closed()`; `letters` stand for the numbers of platforms in names.

    The last link of a leg is the platform, whose parameters are seen there in another frame.
    """
    closed, links = closed_form(robot, robot.closed_position())
    base: BaseParameters = base_of_joints(closed, method)
    standard = standard_of(robot, links.values(), closed=True)
    graph = Graph()
    names = {
        p.name: graph.symbol(standard.at[links[p.link], p.field].name)
        for p in base.standard.inertial if (links[p.link], p.field) in standard.at
    }  # fmt: skip
    values = substitute(base.grouping.values(), graph, names)
    left = {(links[link], name): value for (link, name), value in zip(base.places.values(), values, strict=True)}
    for platform, last in _carried_by(closed, links, letters).items():
        left = _in_platform_frame(left, last, platform, standard, graph)
    grouping, places = named(left, standard, robot, letters)
    return Grouped(standard, grouping, places, base.method, base.remark)


def _carried_by(closed: Robot, links: Mapping[int, int], letters: Iterable[int]) -> dict[int, int]:
    """Platforms that are frames of their own in the closed robot, and the links of legs that they are fixed to."""
    numbers = {own: k for k, own in links.items()}
    found = {}
    for platform in letters:
        frame = closed.frame(numbers[platform])
        if not frame.is_joint:
            found[platform] = links[frame.ant]
    return found


def _in_platform_frame(
    left: Mapping[LinkField, Expr], last: int, platform: int, standard: Standard, graph: Graph
) -> dict[LinkField, Expr]:
    """What is left on the last link of a leg as parameters of the platform that is fixed to it.

    An energy function of the platform is a sum of those that are left, of the last link and of others: what the
    others hold of the platform's parameters is counted with these then, and taken from them.
    """
    moved = {place: value for place, value in left.items() if place[0] == last}
    if not moved:
        return dict(left)
    fields = [field for _, field in moved]
    own = {name: standard.at[platform, name].name for name in INERTIA if (platform, name) in standard.at}
    candidates = sorted(own, key=lambda name: name not in fields)  # the same ones, where these will do
    rows = [linear_coefficients(value, list(own.values())) for value in moved.values()]
    known = generic_values(symbols(graph.zero + x for row in rows for x in row.values()), 0)
    C = np.array([[float(evaluate([row.get(own[c], graph.zero)], known)[0]) for c in candidates] for row in rows])
    chosen, _ = independent_columns(C, RANK)
    if len(chosen) < len(rows):
        raise InputError("the base parameters of the last link of leg 1 hold no parameter of the platform")
    A = [[graph.zero + row.get(own[candidates[k]], graph.zero) for k in chosen] for row in rows]
    found = solve(A, [[value] for value in moved.values()], sizes_at(known))
    forms = {candidates[k]: x[0] for k, x in zip(chosen, found, strict=True)}
    names = list(standard.names)
    rest = {place: value for place, value in left.items() if place[0] != last}
    for place, value in rest.items():
        shares = linear_coefficients(value, [own[name] for name in forms])
        for name, form in forms.items():
            if own[name] in shares:
                value = value - shares[own[name]] * form
        rest[place] = _collected(value, names, graph) if shares else value
    return rest | {(platform, name): _collected(form, names, graph) for name, form in forms.items()}


def _collected(value: Expr, names: list[str], graph: Graph) -> Expr:
    """Each parameter once, those left out whose share is rounding."""
    total = graph.zero
    for name, share in linear_coefficients(value, names).items():
        number = evaluate([share], {})[0] if not share.level else None
        if number is not None and abs(number) < RANK:
            continue
        whole = number is not None and abs(number - round(number)) < RANK
        total = total + graph.symbol(name) * (graph.number(round(number)) if whole and number is not None else share)
    return total
