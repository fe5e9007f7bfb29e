"""Base parameters of robots with platforms from those of the equivalent robot with loops."""

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
    """Standard parameters of the bodies of a robot, and the base parameters that they form."""

    standard: Standard
    grouping: Mapping[str, Expr]
    places: Mapping[str, LinkField]
    method: str = "symbolic"
    remark: str = ""


def as_entries(graph: Graph, inertia: RigidInertia) -> dict[str, Expr]:
    """Return the ten parameters of a body as expressions, by field."""
    entries: list[Scalar] = [*inertia]
    return {name: graph.zero + value for name, value in zip(INERTIA, entries, strict=True)}


def standard_of(carrier: Robot, bodies: Iterable[int], closed: bool) -> Standard:
    """Return the standard parameters of the bodies among the links of a carrier, whose other frames are massless."""
    known = set(bodies)
    found = standard_parameters(carrier, closed)

    def of_bodies(parameters: Any) -> Any:
        return tuple(p for p in parameters if p.link in known)

    return replace(found, inertial=of_bodies(found.inertial), apart=of_bodies(found.apart))


def by_closed(robot: Robot, letters: Mapping[int, str], method: str = "symbolic") -> Grouped:
    """Return the base parameters of `robot.to_closed()`; `letters` replace the numbers of platforms in names.

    The last link of a leg is the platform, whose parameters are expressed in another frame there.
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
    """Return platforms that are separate frames in the closed robot, with the links of legs that carry them."""
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
    """Return the remaining parameters of the last link of a leg as parameters of the platform attached to it.

    An energy function of the platform is a sum of remaining ones, of the last link and of others: the parts of the
    platform's parameters in the others are moved accordingly.
    """
    moved = {place: value for place, value in left.items() if place[0] == last}
    if not moved:
        return dict(left)
    fields = [field for _, field in moved]
    own = {name: standard.at[platform, name].name for name in INERTIA if (platform, name) in standard.at}
    candidates = sorted(own, key=lambda name: name not in fields)  # prefer the same fields
    rows = [linear_coefficients(value, list(own.values())) for value in moved.values()]
    known = generic_values(symbols(graph.zero + x for row in rows for x in row.values()), 0)
    C = np.array([[float(evaluate([row.get(own[c], graph.zero)], known)[0]) for c in candidates] for row in rows])
    chosen, _ = independent_columns(C, RANK)
    if len(chosen) < len(rows):
        raise InputError("leg 1: expected base parameters of the platform on its last link, found none")
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
    """Collect each parameter once, without coefficients that are rounding errors."""
    total = graph.zero
    for name, share in linear_coefficients(value, names).items():
        number = evaluate([share], {})[0] if not share.level else None
        if number is not None and abs(number) < RANK:
            continue
        whole = number is not None and abs(number - round(number)) < RANK
        total = total + graph.symbol(name) * (graph.number(round(number)) if whole and number is not None else share)
    return total
