"""Base inertial parameters: the fewest from which the dynamic model can be computed (guide 3.5.2, 4.2.3, 4.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import Expr, Graph, evaluate, substitute, symbols
from robosym.description import INERTIA, Robot
from robosym.errors import InputError
from robosym.loops.parallelogram import parallelograms
from robosym.parameters.coefficients import LONGEST, latex, linear_coefficients, row_text, written_sizes
from robosym.parameters.freedom import Mobility, motions
from robosym.parameters.grouping import group
from robosym.parameters.loop_relations import loop_relations
from robosym.parameters.reduction import as_expression, as_rows, minimal, with_relations
from robosym.parameters.standard import Standard, inertial_fields, standard_parameters
from robosym.spatial import Vec3
from robosym.spatial.inertia import RigidInertia
from robosym.tree.zero import Place, frame_places

__all__ = ["BaseParameters", "named", "symbolic_base"]

_LONGEST_NUMERIC = 5_000  #: of a factored form of numbers, in terms and factors, that is still collected


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters:
    """The base parameters of a robot, how they follow from the standard ones, and the robot that has only them."""

    given: Robot  #: the robot asked about
    standard: Standard = field(repr=False)
    grouping: Mapping[str, Expr]  #: name of a base parameter -> expression in standard parameters and geometry
    places: Mapping[str, tuple[int, str]] = field(repr=False)  #: name -> link and field
    method: str = "symbolic"
    missed: tuple[str, ...] = ()  #: parameters that the symbolic rules kept and the numeric method eliminates
    remark: str = ""  #: what the numeric or exact computation found: rank, tolerance

    @property
    def names(self) -> tuple[str, ...]:
        """The base parameters, link by link: XX2R where others are grouped with XX2, else the standard name."""
        return tuple(self.grouping)

    @property
    def standard_names(self) -> tuple[str, ...]:
        """The standard parameters, the columns of `matrix`."""
        return self.standard.names

    @cached_property
    def coefficients(self) -> Mapping[str, Mapping[str, Expr]]:
        """{base parameter: {standard parameter: coefficient}}, zeros left out."""
        names = self.standard.names
        return MappingProxyType({name: linear_coefficients(value, names) for name, value in self.grouping.items()})

    @cached_property
    def eliminated(self) -> tuple[str, ...]:
        """The standard parameters that are set to zero: without effect, or grouped with others."""
        kept = set(self.places.values())
        return tuple(p.name for p in self.standard.inertial if (p.link, p.field) not in kept)

    @cached_property
    def without_effect(self) -> tuple[str, ...]:
        """Those of the eliminated parameters that no base parameter holds."""
        used = {name for row in self.coefficients.values() for name in row}
        return tuple(name for name in self.standard.names if name not in used)

    @cached_property
    def matrix(self) -> NDArray[np.float64] | NDArray[np.object_]:
        """base = matrix @ standard: of floats, or of expressions where the geometry has symbols."""
        names = self.standard.names
        entries = [[row.get(name, 0) for name in names] for row in self.coefficients.values()]
        if any(isinstance(e, Expr) and e.level for row in entries for e in row):
            return np.array(entries, dtype=object).reshape(len(entries), len(names))
        numbers = [[evaluate([e], {})[0] if isinstance(e, Expr) else 0.0 for e in row] for row in entries]
        return np.array(numbers, dtype=float).reshape(len(entries), len(names))

    def values(self, standard: Mapping[str, float] | None = None) -> dict[str, float]:
        """Base parameters from values of the standard ones and of the geometry; the robot's own numbers hold too."""
        given = dict(standard or {})
        known = {*self.standard.names, *self.given.parameters}
        for name in given:
            if name not in known:
                raise InputError(f"{self.given.name} has no parameter {name}")
        for p in self.standard.inertial:
            if p.name not in given and all(name in given for name in symbols([p.entry])):
                given[p.name] = evaluate([p.entry], given)[0]
        needed = list(symbols(self.grouping.values()))
        missing = [name for name in needed if name not in given]
        if missing:
            raise InputError(f"expected values for {', '.join(missing[:8])}{' ...' if len(missing) > 8 else ''}")
        return dict(zip(self.names, evaluate(self.grouping.values(), given), strict=True))

    @cached_property
    def robot(self) -> Robot:
        """The robot with base parameters: numbers where it has numbers, else symbols such as XX2R; zeros elsewhere."""
        given, standard = self.given, self.standard
        robot = given.with_links(dict.fromkeys(inertial_fields, 0) for _ in range(given.NL))
        graph = robot.graph
        entries: dict[tuple[int, str], Expr] = {(p.link, p.field): graph.copy([p.entry])[0] for p in standard.apart}
        if standard.numeric:
            numbers = {p.name: graph.copy([p.entry])[0] for p in standard.inertial}
            values = [_folded(value) for value in substitute(self.grouping.values(), graph, numbers)]
            entries.update(zip(self.places.values(), values, strict=True))
        else:
            for (name, value), place in zip(self.grouping.items(), self.places.values(), strict=True):
                own = standard.at.get(place)
                unchanged = own is not None and value.name == own.name
                entries[place] = graph.copy([own.entry])[0] if own and unchanged else graph.symbol(name)
        by_link: dict[int, dict[str, Expr]] = {j: {} for j in range(given.NL + 1)}
        for (j, name), value in entries.items():
            by_link[j][name] = value
        robot = replace(robot, links=tuple(replace(link, **by_link[j]) for j, link in enumerate(robot.links, 1)))
        if robot.base.link is None:
            return robot
        # the inertia of a base whose motion is given has no effect on the joints
        link = replace(robot.base.link, **{name: by_link[0].get(name, graph.zero) for name in INERTIA})
        return replace(robot, base=replace(robot.base, link=link))

    # ------------------------------------------------------------------- printing

    def table(self, form: str = "text") -> str:
        """The base parameters and what they hold, then what is eliminated: "text", or a table in "latex"."""
        if form == "latex":
            rows = (f"${latex(name)}$ & ${latex(row_text(row))}$ \\\\" for name, row in self.coefficients.items())
            return "\n".join(["\\begin{tabular}{ll}", *rows, "\\end{tabular}"])
        if form != "text":
            raise InputError(f"expected 'text' or 'latex', found {form!r}")
        width = max((len(name) for name in self.names), default=0)
        lines = [self._summary(), ""]
        lines += [f"{name:<{width}} = {row_text(row)}" for name, row in self.coefficients.items()]
        grouped = [name for name in self.eliminated if name not in self.without_effect]
        lines += ["", f"grouped: {', '.join(grouped) or 'none'}"]
        lines += [f"without effect: {', '.join(self.without_effect) or 'none'}"]
        if self.missed:
            lines.append(f"not found by the symbolic rules: {', '.join(self.missed)}")
        return "\n".join([*lines, self.remark] if self.remark else lines)

    def _summary(self) -> str:
        count, of = len(self.names), len(self.standard.names)
        return f"{self.given.name}: {count} base parameters of {of} ({self.method})"

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<BaseParameters, {self._summary()}>"


def _folded(value: Expr) -> Expr:
    """A constant as a plain number."""
    return value.graph.number(evaluate([value], {})[0]) if value.level == 0 and not value.is_number else value


def _collected(rows: Mapping[tuple[int, str], Expr], names: Sequence[str]) -> dict[tuple[int, str], Expr]:
    """Each standard parameter once, where the geometry is numbers or that is not longer than the factored form."""
    graph = Graph()
    parameters = {name: graph.symbol(name) for name in names}  # in this order sums are written
    numeric = not set(symbols(rows.values())) - set(names)
    longest = _LONGEST_NUMERIC if numeric else LONGEST  # nobody reads more, and a tree of many links stays quick
    result = dict(zip(rows, graph.copy(rows.values()), strict=True))
    for (at, value), size in zip(rows.items(), written_sizes(rows.values()), strict=True):
        if size <= longest:
            total = _once(value, parameters, graph)
            if numeric or written_sizes([total])[0] <= size:
                result[at] = total
    return result


def _once(value: Expr, parameters: Mapping[str, Expr], graph: Graph) -> Expr:
    """The sum of coefficient times parameter, parameters of one coefficient in one bracket."""
    groups: dict[Expr, list[Expr]] = {}  # coefficient -> parameters
    for name, coefficient in linear_coefficients(value, parameters).items():
        plain = _folded(coefficient)
        if plain.is_number and isinstance(plain.number, float):  # without the noise of rounding
            coefficient = value.graph.number(float(f"{plain.number:.14g}"))
        groups.setdefault(coefficient.node, []).append(parameters[name].signed(coefficient.negative))
    alone = groups.pop(value.graph.one, [])
    sizes = graph.copy(groups)
    return _sum([*alone, *(size * _sum(terms) for size, terms in zip(sizes, groups.values(), strict=True))])


def _sum(terms: Sequence[Expr]) -> Expr:
    """The sum, written in the order of the terms."""
    *others, total = terms
    for term in reversed(others):
        total = term + total
    return total


def symbolic_base(robot: Robot, closed: bool = False) -> BaseParameters:
    """The symbolic rules of trees, and for a closed robot those of its loops."""
    standard = standard_parameters(robot, closed)
    graph = Graph()
    places, gravity = frame_places(robot, graph)
    shapes = parallelograms(robot, places) if closed else []
    tree = {j: places[j] for j in range(1, robot.NL + 1)}
    motion = motions(tree, robot.base.kind != "fixed", shapes)

    def left(names: Mapping[tuple[int, str], str]) -> dict[tuple[int, str], Expr]:
        return rules_of_trees(robot, names, graph, tree, gravity, motion)

    present = {(p.link, p.field): p.name for p in standard.inertial}
    if closed:  # every parameter takes part, as a relation may go through a link that has none
        everything = {(j, name): f"{name}{j}" for j in range(1, robot.NL + 1) for name in INERTIA}
        rows = left({**everything, **present})
        of_name = {name: at for at, name in {**everything, **present}.items()}
    else:
        rows = left(present)
        of_name = {name: at for at, name in present.items()}
    if closed or any(at not in present for at in rows):
        order = [(j, name) for j in range(robot.NL + 1) for name in inertial_fields]
        matrix = as_rows(
            {
                at: {of_name[name]: c for name, c in linear_coefficients(value, of_name).items()}
                for at, value in rows.items()
            }
        )
        if closed:
            relations = loop_relations(robot, places, shapes, motion)
            matrix = with_relations(matrix, ({at: graph.zero + c for at, c in r.items()} for r in relations), order)
        matrix = minimal(matrix, present, order)
        rows = {at: as_expression(row, present, graph) for at, row in matrix.items()}
    return named(robot, standard, rows)


def rules_of_trees(
    robot: Robot,
    names: Mapping[tuple[int, str], str],
    graph: Graph,
    places: Mapping[int, Place],
    gravity: Vec3,
    motion: Mapping[int, Mobility],
) -> dict[tuple[int, str], Expr]:
    """What is left of the named parameters (link, field) after the symbolic rules, zeros left out."""

    def symbol(j: int, name: str) -> Expr:
        return graph.symbol(names[j, name]) if (j, name) in names else graph.zero

    numbers = range(robot.NL + 1)
    inertias = [RigidInertia(*(symbol(j, name) for name in INERTIA)) for j in numbers]
    K, IA = group(places, inertias, [symbol(j, "IA") for j in numbers], gravity, motion)
    left = {
        (j, name): IA[j] if name == "IA" else getattr(K[j], name)
        for j in numbers
        for name in inertial_fields
        if j or robot.base.kind == "floating"
    }
    return {at: value for at, value in left.items() if isinstance(value, Expr) and not value.is_zero}


def named(robot: Robot, standard: Standard, rows: Mapping[tuple[int, str], Expr]) -> BaseParameters:
    """The parameters that are left, with their names."""
    grouping: dict[str, Expr] = {}
    places: dict[str, tuple[int, str]] = {}
    taken = {*standard.names, *robot.parameters}
    for (j, fieldname), value in _collected(rows, standard.names).items():
        own = standard.at.get((j, fieldname))
        if own is not None and value.name == own.name:
            name = own.name
        else:
            name = f"{fieldname}{j}R"
            while name in taken:
                name += "R"
        grouping[name] = value
        places[name] = (j, fieldname)
    return BaseParameters(robot, standard, MappingProxyType(grouping), MappingProxyType(places))
